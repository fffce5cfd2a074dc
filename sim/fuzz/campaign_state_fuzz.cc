// Any bytes: they are no campaign, or one that is written and read back to the same bytes.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

#include "nandi/sim/campaign_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nandi::sim;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const std::optional<CampaignPart> part = parse_campaign_part(body);
  if (!part) return 0;
  std::ostringstream written;
  write_campaign_state(written, 0, *part);
  std::istringstream in(written.str());
  std::ostringstream again;
  write_campaign_state(again, 0, read_campaign_state(in, "again", 0));
  if (written.str() != again.str()) {
    std::cerr << "written and read back, the part is another one\n";
    std::abort();
  }
  return 0;
}
