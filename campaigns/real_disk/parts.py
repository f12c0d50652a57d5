"""The parts of the campaign by name, and how each is spread over the processors."""

import argparse
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import confine
import faults
import kills
import protocol
import races
import small_disk
import tracer
from scenarios import SCENARIOS, Scenario
from tally import Tally

NAMES = ("kill", "errno", "race", "disk", "confine", "protocol")


def run(name: str, binary: Path, ground: Path, options: argparse.Namespace) -> Tally:
    match name:
        case "kill":
            return over_scenarios(kills.run_scenario, binary, ground, options)
        case "errno":
            return over_scenarios(faults.run_scenario, binary, ground, options)
        case "race":
            return races.run(binary, ground, options.quick, options.seed)
        case "disk":
            return small_disk.run(binary, ground, options.quick, options.seed)
        case "confine":
            return confine.run(binary, ground, options.quick, options.seed)
        case "protocol":
            return protocol.run(binary, ground, options.quick, options.seed)
    raise ValueError(name)


def over_scenarios(run_one: Callable[..., Tally], binary: Path, ground: Path,
                   options: argparse.Namespace) -> Tally:
    """Runs each scenario in a process of its own: the tracer's threads stay among themselves."""
    total = Tally()
    if not tracer.supported():
        total.notes.append("skipped: needs Linux on x86-64")
        return total
    chosen = [one for one in SCENARIOS if not options.only or one.name in options.only]
    elsewhere = another_device(ground)
    if elsewhere is None:
        chosen = [one for one in chosen if not one.apart]
        total.notes.append("no second device: scenarios with the state directory apart are skipped")
    context = multiprocessing.get_context("fork")
    try:
        with ProcessPoolExecutor(options.jobs, context) as pool:
            running = {scenario.name: pool.submit(run_one, scenario, binary, ground, elsewhere,
                                                  options.quick, options.seed)
                       for scenario in chosen}
            for name, one in running.items():
                tally = one.result()
                total.merge(tally)
                if not options.quick:
                    print(f"  {name}: violations: {len(tally.violations)}", flush=True)
    finally:
        if elsewhere is not None:
            shutil.rmtree(elsewhere, ignore_errors=True)
    return total


def another_device(ground: Path) -> Path | None:
    """A new directory on another device than `ground`."""
    shared = Path("/dev/shm")
    if shared.is_dir() and os.access(shared, os.W_OK) \
            and shared.stat().st_dev != ground.stat().st_dev:
        return Path(tempfile.mkdtemp(prefix="real-disk-", dir=shared))
    return None
