#include <kubist/data/json.hpp>
