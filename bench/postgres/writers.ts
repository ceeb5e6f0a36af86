import { median, type Row } from '../table.ts'
import { Child } from './child.ts'

const ROUNDS = 3
/** Two writers in each: one process alone would be busy before the database is. */
const PROCESSES = 4
const WRITERS_EACH = 2

/** Eight writers on different threads, beside eight that commit one row of the same bytes. They take turns. */
export async function writerRows(url: string): Promise<Row[]> {
  await using closing = new AsyncDisposableStack()
  const start = async (kind: string, n: number) =>
    closing.use(await Child.start('writer-child.ts', url, kind, String(n), String(WRITERS_EACH)))
  const [ours, bare]: [Child[], Child[]] = [[], []]
  for (let n = 0; n < PROCESSES; n += 1) {
    ours.push(await start('ours', n))
    bare.push(await start('bare', n))
  }
  const all = { ours: [] as number[], bare: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    all.bare.push(await commitsOf(bare))
    all.ours.push(await commitsOf(ours))
  }
  return [
    { figure: '8 writers, bare commits/s', value: median(all.bare), wanted: '' },
    {
      figure: '8 writers on threads of their own, share of the bare commits/s',
      value: median(all.ours) / median(all.bare),
      wanted: '0.8',
    },
  ]
}

async function commitsOf(children: readonly Child[]): Promise<number> {
  for (const child of children) child.say('go')
  const each = await Promise.all(children.map(child => child.next()))
  return each.map(Number).reduce((a, b) => a + b)
}
