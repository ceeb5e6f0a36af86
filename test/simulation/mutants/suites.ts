import { dirname } from 'node:path'
import type { Mutant } from './mutant.ts'
import type { Stage } from './stage.ts'

/** `file` has the bug in it. */
export interface Hunt {
  readonly lives: number
  readonly file: string
}

/** What may find a bug, from the quickest to the slowest. */
export interface Suite {
  readonly name: string
  readonly command: (hunt: Hunt) => readonly string[]
  /** The places of its output that say which promise, or which test, failed and how. */
  readonly failures: RegExp
}

/** A life that broke a promise. One that threw anything else has no such line. */
const SEED = /^Seed .*$/gm
/** A test that asserted something. A file that does not load has no title, and what was late asserted nothing. */
const TEST = /^ FAIL {2}\S+ > .*\n.*$/gm
const LATE = /TimeoutError|timed out/i

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '3', '--reporter', 'dot']
const UNBUILT = [...VITEST, '--config', 'test/simulation/mutants/vitest.config.ts']
/** The contract of every store is run from the one file. */
const CONTRACT = ['src/stores/stores.test.ts', 'src/stores/sqlite']
const STORIES = [
  'stories',
  'lifecycle',
  'concurrent-calls',
  'cancel-and-send',
  'deciding',
  'drift',
  'plugins',
  'signals',
  'recovery',
]

export const SUITES: readonly Suite[] = [
  { name: 'simulation', command: living('file'), failures: SEED },
  { name: 'simulation on a database', command: living('database'), failures: SEED },
  { name: 'units beside it', command: ({ file }) => [...UNBUILT, '--passWithNoTests', dirname(file)], failures: TEST },
  { name: 'units', command: () => [...UNBUILT, 'src/core', 'src/runtime', 'src/async'], failures: TEST },
  { name: 'store contract', command: () => [...UNBUILT, ...CONTRACT], failures: TEST },
  {
    name: 'stories',
    command: () => [...VITEST, ...STORIES.map(name => `test/scenarios/${name}.test.ts`)],
    failures: TEST,
  },
]

export interface Found {
  readonly suite: string
  readonly seconds: number
  readonly reason: string
}

export interface Hunted {
  readonly found: Found | null
  /** Suites that ended badly, and did not say what the bug should show: these found nothing. */
  readonly others: readonly string[]
}

/** The first suite that fails for the reason of this bug. */
export async function hunt(
  stage: Stage,
  { shows, file }: Mutant,
  { suites, lives }: { suites: readonly Suite[]; lives: number },
): Promise<Hunted> {
  const start = performance.now()
  const others: string[] = []
  for (const suite of suites) {
    const { passed, output } = await stage.run(suite, { lives, file })
    if (passed) continue
    const failures = failuresIn(output, suite)
    const reason = failures.find(failure => shows.test(failure))
    const took = (performance.now() - start) / 1_000
    if (reason !== undefined) return { found: { suite: suite.name, seconds: took, reason }, others }
    others.push(`${suite.name}: ${failures[0] ?? output.trim().split('\n').at(-1) ?? ''}`)
  }
  return { found: null, others }
}

export function failuresIn(output: string, { failures }: Suite): string[] {
  const all = [...output.matchAll(failures)].map(([text]) => text.replace(/\s+/g, ' ').trim())
  return all.filter(text => !LATE.test(text))
}

function living(store: 'file' | 'database'): Suite['command'] {
  return ({ lives }) => [
    'test/simulation/main.ts',
    ...['--from', '1', '--lives', String(lives), '--seconds', '3600', '--shrink-seconds', '0', '--store', store],
  ]
}
