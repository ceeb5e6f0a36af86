import { median, type Row } from '../table.ts'
import { Child } from './child.ts'

const ROUNDS = 3

/** Eight writers on different threads, beside eight that commit one row of the same bytes: as a worker has them, and spread. */
export async function writerRows(url: string): Promise<Row[]> {
  return [...(await writersIn(url, { processes: 1, each: 8 })), ...(await writersIn(url, { processes: 4, each: 2 }))]
}

interface Layout {
  readonly processes: number
  readonly each: number
}

/** They take turns. */
async function writersIn(url: string, { processes, each }: Layout): Promise<Row[]> {
  await using closing = new AsyncDisposableStack()
  const start = async (kind: string, n: number) =>
    closing.use(await Child.start('writer-child.ts', url, kind, `${processes}_${n}`, String(each)))
  const [ours, bare]: [Child[], Child[]] = [[], []]
  for (let n = 0; n < processes; n += 1) {
    ours.push(await start('ours', n))
    bare.push(await start('bare', n))
  }
  const all = { ours: [] as number[], bare: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    all.bare.push(await commitsOf(bare))
    all.ours.push(await commitsOf(ours))
  }
  const where = processes === 1 ? '8 writers of one process' : `8 writers of ${processes} processes`
  return [
    { figure: `${where}, bare commits/s`, value: median(all.bare), wanted: '' },
    {
      figure: `${where}, appends to threads of their own, share of the bare commits/s`,
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
