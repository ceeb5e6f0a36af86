import { expect, test } from 'vitest'
import { INTERACTIVE_FAULTS, NO_INTERACTIVE_SETTINGS, stayingOf } from './interactive-settings.ts'

const SAYS_SO = { ...NO_INTERACTIVE_SETTINGS, interactive: true }

test('a process stays only if a flag, the agent or the project says so', () => {
  expect(stayingOf([NO_INTERACTIVE_SETTINGS])).toBeNull()
  expect(stayingOf([{ interactive: null, idle_timeout: 5, on_idle: 'park' }])).toBeNull()
  expect(stayingOf([{ ...SAYS_SO, interactive: false }, SAYS_SO])).toBeNull()
})

test('it idles for 300 s and then ends, unless the agent or else the project says otherwise', () => {
  expect(stayingOf([SAYS_SO])).toEqual({ idle_timeout_ms: 300_000, on_idle: 'end' })
  const agent = { ...SAYS_SO, idle_timeout: 0 }
  const project = { interactive: null, idle_timeout: 60, on_idle: 'park' } as const
  expect(stayingOf([agent, project])).toEqual({ idle_timeout_ms: 0, on_idle: 'park' })
})

test.each([-1, 604_801, Number.NaN, Number.POSITIVE_INFINITY, '60', null])('%j is no idle timeout', value => {
  expect(INTERACTIVE_FAULTS.idle_timeout(value)).toMatch(/^must be seconds from 0 /)
})

test.each([0, 0.5, 300, 604_800])('%j seconds are an idle timeout', value => {
  expect(INTERACTIVE_FAULTS.idle_timeout(value)).toBeNull()
})
