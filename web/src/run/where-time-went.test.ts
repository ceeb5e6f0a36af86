import { expect, test } from 'vitest'
import { type Timeline, timeShares } from './where-time-went.ts'

const at = (second: number) => new Date(Date.parse('2030-01-01T00:00:00Z') + second * 1_000).toISOString()
const span = (kind: string, from: number, to: number | null) => ({
  ...{ kind, started_at: at(from), ended_at: to === null ? null : at(to) },
})

test('the time of a run is divided among its model, its tools, its people, and nothing', () => {
  const spans = [span('model', 0, 2), span('wait', 2, 100), span('call', 10, 14), span('call', 101, null)]
  const timeline = { started_at: at(0), ended_at: null, spans } as unknown as Timeline
  expect(timeShares(timeline, Date.parse(at(110)))).toEqual({ model: 2_000, call: 13_000, wait: 94_000, rest: 1_000 })
})
