import type { Stage } from './stage.ts'

/** What may find a bug, from the quickest to the slowest. */
export interface Suite {
  readonly name: string
  readonly command: (seconds: number) => readonly string[]
  /** The line of its output that says what it found. */
  readonly reason: RegExp
}

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--reporter', 'dot']
const UNBUILT = [...VITEST, '--config', 'test/simulation/mutants/vitest.config.ts']
const STORIES = [
  'stories',
  'lifecycle',
  'concurrent-calls',
  'cancel-and-send',
  'deciding',
  'drift',
  'plugins',
  'signals',
]

export const SUITES: readonly Suite[] = [
  { name: 'simulation', command: lives('file'), reason: /^Seed .*$/m },
  { name: 'simulation on a database', command: lives('database'), reason: /^Seed .*$/m },
  { name: 'units', command: () => [...UNBUILT, 'src/core', 'src/runtime', 'src/async'], reason: /FAIL.*$/m },
  { name: 'store contract', command: () => [...UNBUILT, 'src/stores/sqlite'], reason: /FAIL.*$/m },
  {
    name: 'stories',
    command: () => [...VITEST, ...STORIES.map(name => `test/scenarios/${name}.test.ts`)],
    reason: /FAIL.*$/m,
  },
]

export interface Found {
  readonly suite: string
  readonly seconds: number
  readonly reason: string
}

/** The first suite that fails; `null` if none does. */
export async function findBy(stage: Stage, seconds: number): Promise<Found | null> {
  const start = performance.now()
  for (const suite of SUITES) {
    const { failed, output } = await stage.run(suite, seconds)
    const reason = suite.reason.exec(output)?.[0] ?? output.trim().split('\n').at(-1) ?? ''
    if (failed) return { suite: suite.name, seconds: (performance.now() - start) / 1_000, reason: reason.slice(0, 160) }
  }
  return null
}

function lives(store: 'file' | 'database'): Suite['command'] {
  return seconds => [
    'test/simulation/main.ts',
    ...['--from', '1', '--seconds', String(seconds), '--shrink-seconds', '0', '--store', store],
  ]
}
