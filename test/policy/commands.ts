import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Policy, rule } from '../../src/core/policy/policy.ts'
import { readPolicy } from '../../src/core/policy/read-policy.ts'
import { inspectCommandLine } from '../../src/tools/run-command/run-command.ts'

export const RULINGS = ['auto', 'ask', 'doubt', 'never'] as const

export interface Row {
  readonly policy: string
  readonly ruling: (typeof RULINGS)[number]
  readonly why: string
  /** As it is written in the table. */
  readonly written: string
  readonly command: string
}

const POLICIES = 'policies'

/** The rows of commands.txt, and the policies that they refer to. */
export function readTable(): { rows: readonly Row[]; policies: ReadonlyMap<string, Policy> } {
  const text = readFileSync(join(import.meta.dirname, 'commands.txt'), 'utf8')
  const sections = text
    .split(/^= /m)
    .slice(1)
    .map(section => section.split('\n'))
  const lines = sections.flatMap(([name = '', ...rest]) => rest.map(line => ({ name: name.trim(), line })))
  const policies = lines.filter(({ name, line }) => name === POLICIES && line !== '').map(({ line }) => policyIn(line))
  const rows = lines.filter(({ name, line }) => name !== POLICIES && line !== '' && !line.startsWith('# '))
  return { rows: rows.map(({ name, line }) => rowIn(name, line)), policies: new Map(policies) }
}

function policyIn(line: string): [name: string, policy: Policy] {
  const at = line.indexOf('{')
  return [line.slice(0, at).trim(), readPolicy(JSON.parse(line.slice(at)), 'commands.txt')]
}

function rowIn(policy: string, line: string): Row {
  const [ruling, why, written] = /^(\w+) \| (.+?) \| (.+)$/.exec(line)?.slice(1) ?? []
  const found = RULINGS.find(each => each === ruling)
  if (!found || why === undefined || written === undefined) throw new TypeError(`no row: ${line}`)
  return {
    policy,
    ruling: found,
    why,
    written,
    command: written.replaceAll('⏎', '\n').replaceAll('␇', '\u0007').replaceAll('⍽', '\u00a0'),
  }
}

/** As the gate and `policy check` find it. `rulesFrom`: the directory that the rules are of. */
export async function rulingOnCommand(
  policy: Policy | undefined,
  command: string,
  rulesFrom = '/project',
): Promise<Row['ruling']> {
  if (!policy) throw new TypeError('no such policy')
  const facts = await inspectCommandLine(command, { workdir: '/project', rulesFrom })
  const question = { tool: 'run_command', arguments: { command }, facts, needs_approval: null }
  const { verdict, binding } = rule(policy, question)
  if (verdict === 'prompt') return binding ? 'doubt' : 'ask'
  return verdict === 'box' ? 'auto' : verdict
}
