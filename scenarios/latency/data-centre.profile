# Latency of registrations within one data centre, from published figures; not measured here.
#
# The typical round trip of 0.5 ms lies between what these publish:
# - "The typical latency of a 1 GBits/s network is about 200 us": Redis documentation, "Diagnosing
#   latency issues",
#   https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency/
# - 0.26 ms on average, 630 ms at most, of 17,576 samples of redis-cli --latency:
#   https://gist.github.com/shey/14dc2ac9b7d3fcc0472f
# - 0.908 ms on average within one zone and 1.553 ms between two zones of Azure's UK South, about
#   40,000 echoes each: Simon Painter, "Exploring Azure Network Latency: The Fundamentals",
#   https://www.simonpainter.com/azure-latency-1/
# How often it takes longer is an assumption, for no percentiles were published there: 1 ms for 90,
# 5 ms for 99 of 100, 50 ms at most. Longer ones do happen (the 630 ms above): as pauses they are
# given to `nandi-sim tune --pause`.
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
