# Latency of registrations within one data centre, from published figures; not measured here.
#
# The typical round trip of 0.5 ms is the one of "Numbers Everyone Should Know" (Jeff Dean, LADIS
# 2009, "Round trip within same datacenter 500,000 ns"). No tail was published with it: that 99 of
# 100 take at most 5 ms and none more than 50 ms is an assumption, made long on purpose.
latency_profile: 1
server: "published figures, one data centre"
samples: 10000
failures: 0
round_trip:
  from: 250us
  buckets:
    - {to: 500us, count: 5000}
    - {to: 1ms, count: 4000}
    - {to: 5ms, count: 900}
    - {to: 50ms, count: 100}
