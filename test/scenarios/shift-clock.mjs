/**
 * Preloaded into a process (`node --import`): CLOCK_AHEAD_MS more have passed for it, so that it sees what will be due. With
 * CLOCK_IS_SET=1 its clock was only set forward by so much, and its steady clock knows better.
 */
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'

const { now } = Date
const { uptime } = os
const ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0)

Date.now = () => now() + ahead
if (process.env.CLOCK_IS_SET !== '1') os.uptime = () => uptime() + ahead / 1_000
syncBuiltinESMExports()
