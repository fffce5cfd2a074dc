# Latency of registrations across regions, from published figures; not measured here.
#
# The typical round trip of 150 ms is the one of "Numbers Everyone Should Know" (Jeff Dean, LADIS
# 2009, "Send packet CA->Netherlands->CA 150,000,000 ns"). No tail was published with it: that 99 of
# 100 take at most 200 ms and none more than 500 ms is an assumption, made long on purpose.
latency_profile: 1
server: "published figures, across regions"
samples: 10000
failures: 0
round_trip:
  from: 140ms
  buckets:
    - {to: 150ms, count: 5000}
    - {to: 170ms, count: 4000}
    - {to: 200ms, count: 900}
    - {to: 500ms, count: 100}
