/** Gives each test file one patience: for its polls, its tests and its hooks. */
import { vi } from 'vitest'
import { patienceMs } from './patience.ts'

const longest = patienceMs()
vi.setConfig({ testTimeout: 3 * longest, hookTimeout: 3 * longest, expect: { poll: { timeout: longest } } })
