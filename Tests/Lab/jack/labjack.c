// SPDX-License-Identifier: GPL-2.0
/*
 * labjack: gives a sound card that has no jack detection a headphone jack.
 *   modprobe labjack card=0
 *   echo 1 >/sys/module/labjack/parameters/inserted
 * The card gets a control "Headphone Jack" and an input device with SW_HEADPHONE_INSERT, made and
 * reported by the kernel's own jack layer, as the driver of a codec does when its pins change.
 */
#include <linux/module.h>
#include <sound/core.h>
#include <sound/jack.h>

static int card;
module_param(card, int, 0444);

static struct snd_jack *jack;
static bool inserted;

static int set_inserted(const char *text, const struct kernel_param *parameter)
{
	int failed = param_set_bool(text, parameter);

	if (!failed && jack)
		snd_jack_report(jack, inserted ? SND_JACK_HEADPHONE : 0);
	return failed;
}

static const struct kernel_param_ops inserted_ops = { .set = set_inserted, .get = param_get_bool };
module_param_cb(inserted, &inserted_ops, &inserted, 0644);

static int __init labjack_init(void)
{
	struct snd_card *owner = snd_card_ref(card);
	int failed;

	if (!owner)
		return -ENODEV;
	failed = snd_jack_new(owner, "Headphone", SND_JACK_HEADPHONE, &jack, true, false);
	if (!failed)
		failed = snd_device_register(owner, jack); /* the card is in use already */
	if (!failed)
		snd_jack_report(jack, inserted ? SND_JACK_HEADPHONE : 0);
	snd_card_unref(owner);
	return failed;
}
module_init(labjack_init);
/* No exit: the jack belongs to the card and lives as long as the card does. */

MODULE_DESCRIPTION("headphone jack for a machine of the lab");
MODULE_LICENSE("GPL");
