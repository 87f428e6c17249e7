// Who can hear a device: one answer for the list of devices and for the watch.

#include "pulse.h"

#include <string.h>

static bool has(const char *text, const char *part) { return text && strstr(text, part) != NULL; }

static bool is_bluetooth(const sotto_route_facts *facts) {
  return has(facts->bus, "bluetooth") || has(facts->api, "bluez") || has(facts->name, "bluez");
}

static bool is_worn(const char *form) {
  return has(form, "head") || has(form, "handset") || has(form, "hands-free") ||
         has(form, "hearing-aid");
}

int sotto_route_class(const sotto_route_facts *facts) {
  const char *driver = facts->driver;
  const char *form = facts->form_factor;
  if (facts->network || has(driver, "tunnel") || has(driver, "raop") || has(driver, "rtp") ||
      has(facts->name, "raop_") || has(facts->name, "tunnel.")) {
    return SOTTO_ROUTE_NETWORK;
  }
  switch (facts->port_type) {
    case PA_DEVICE_PORT_TYPE_HEADPHONES:
    case PA_DEVICE_PORT_TYPE_HEADSET:
    case PA_DEVICE_PORT_TYPE_EARPIECE:
    case PA_DEVICE_PORT_TYPE_HANDSET: return SOTTO_ROUTE_PRIVATE;
    case PA_DEVICE_PORT_TYPE_HDMI:
    case PA_DEVICE_PORT_TYPE_TV:
    case PA_DEVICE_PORT_TYPE_SPDIF:
    case PA_DEVICE_PORT_TYPE_CAR:
    case PA_DEVICE_PORT_TYPE_HIFI:
    case PA_DEVICE_PORT_TYPE_LINE: return SOTTO_ROUTE_EXTERNAL;
    case PA_DEVICE_PORT_TYPE_NETWORK: return SOTTO_ROUTE_NETWORK;
    case PA_DEVICE_PORT_TYPE_SPEAKER:
      // The only output of many USB headsets is called a speaker by their own mixer.
      if (is_worn(form)) return SOTTO_ROUTE_PRIVATE;
      return is_bluetooth(facts) ? SOTTO_ROUTE_EXTERNAL : SOTTO_ROUTE_SPEAKER;
    default: break;
  }
  if (has(facts->port_name, "headphone") || has(facts->port_name, "headset")) {
    return SOTTO_ROUTE_PRIVATE;
  }
  if (has(facts->port_name, "hdmi")) return SOTTO_ROUTE_EXTERNAL;
  if (is_worn(form)) return SOTTO_ROUTE_PRIVATE;
  if (has(form, "speaker") || has(form, "internal") || has(form, "portable")) {
    return is_bluetooth(facts) ? SOTTO_ROUTE_EXTERNAL : SOTTO_ROUTE_SPEAKER;
  }
  if (has(form, "tv") || has(form, "hifi") || has(form, "car") || has(form, "computer")) {
    return SOTTO_ROUTE_EXTERNAL;
  }
  // Mostly headphones, and the mistake that harms nobody.
  if (is_bluetooth(facts)) return SOTTO_ROUTE_PRIVATE;
  if (has(facts->name, "hdmi")) return SOTTO_ROUTE_EXTERNAL;
  return SOTTO_ROUTE_SPEAKER;
}

int pulse_route(const pa_sink_info *info, const pa_sink_port_info *port) {
  const sotto_route_facts facts = {
      .name = info->name,
      .driver = info->driver,
      .form_factor = pa_proplist_gets(info->proplist, PA_PROP_DEVICE_FORM_FACTOR),
      .bus = pa_proplist_gets(info->proplist, PA_PROP_DEVICE_BUS),
      .api = pa_proplist_gets(info->proplist, PA_PROP_DEVICE_API),
      .port_name = port ? port->name : NULL,
      .port_type = port ? (int)port->type : 0,
      .network = (info->flags & PA_SINK_NETWORK) != 0,
  };
  return sotto_route_class(&facts);
}

const char *pulse_address(const pa_proplist *properties) {
  const char *address = pa_proplist_gets(properties, "api.bluez5.address");
  if (address) return address;
  const char *bus = pa_proplist_gets(properties, PA_PROP_DEVICE_BUS);
  const char *api = pa_proplist_gets(properties, PA_PROP_DEVICE_API);
  // PulseAudio has the address as the device's string.
  if (!has(api, "bluez") && !has(bus, "bluetooth")) return NULL;
  return pa_proplist_gets(properties, PA_PROP_DEVICE_STRING);
}
