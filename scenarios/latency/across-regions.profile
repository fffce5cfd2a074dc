# Latency of registrations across regions, from published figures; not measured here.
#
# The typical round trip of 150 ms is that of distant regions in a published table of averages
# between Amazon's: N. Virginia and Tokyo 145.3 ms, N. California and Ireland 153.2 ms, Oregon and
# Frankfurt 159.5 ms (near ones, Ireland and Frankfurt, 19.6 ms; the farthest, Singapore and
# Frankfurt, 325.9 ms): "AWS Regions", April 2017,
# https://acomputerscientistlearnsaws.blogspot.com/2017/04/aws-regions.html
# How often it takes longer is an assumption, for that table has averages only: 170 ms for 90,
# 200 ms for 99 of 100, 500 ms at most, made long on purpose. Paths between regions of one provider
# have a shorter tail than the public Internet's: Haq, Raja and Dogar, "A Measurement Study of Wide
# Area Cloud Paths", 2016, http://www.cs.tufts.edu/t/tr/techreps/TR-2016-01
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
