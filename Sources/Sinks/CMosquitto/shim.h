// libmosquitto, a client of MQTT, for Swift.
#ifndef FRAMEGREP_CMOSQUITTO_H
#define FRAMEGREP_CMOSQUITTO_H

#include <mosquitto.h>

#endif
