"""The time axes of a run: wall clock, CLOCK_MONOTONIC_RAW, and the counters of host and device."""


class Clock:
    """Moments are ns after the synchronisation point (host_start.log, dev_start.log).

    >>> clock = Clock()
    >>> clock.host(1_000) - clock.host(0), clock.dev(1_000) - clock.dev(0)
    (100, 50)
    """

    def __init__(self, x86=False, dev_mhz=50.0):
        self.host_mhz, self.dev_mhz = (1000.0 if x86 else 100.0), dev_mhz
        self.host_mhz_text = "" if x86 else f"{self.host_mhz:.6f}"
        self.wall_us = 1_700_902_984_041_176
        self.mono_ns = 8_719_641_548_578  # start_info: clockMonotonicRaw
        self.sync_mono_ns = self.mono_ns + 5_000_000  # host_start.log: clock_monotonic_raw
        # without a usable frequency the stamps of the host are ns
        self.host_cnt = self.sync_mono_ns if x86 else 871_964_154_857
        self.dev_cnt = 435_982_077_428  # dev_start.log: cntvct at the same moment

    @property
    def sync_wall_ns(self):
        """ns since the epoch at the synchronisation point."""
        return self.wall_us * 1000 + self.sync_mono_ns - self.mono_ns

    def host_ns(self, moment):
        """ns since the epoch that the host's stamp of a moment says."""
        return self.sync_wall_ns + (self.host(moment) - self.host_cnt) * 1000 // round(self.host_mhz)

    def dev_ns(self, moment):
        """As `host_ns`, of the device's stamp."""
        return self.sync_wall_ns + (self.dev(moment) - self.dev_cnt) * 1000 // round(self.dev_mhz)

    def host(self, moment):
        """Ticks of the host's counter."""
        return self.host_cnt + round(moment * self.host_mhz / 1000.0)

    def dev(self, moment):
        """Ticks of the device's counter."""
        return self.dev_cnt + round(moment * self.dev_mhz / 1000.0)
