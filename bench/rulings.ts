import { parse } from 'unbash'
import { type Policy, rule } from '../src/core/policy/policy.ts'
import { readPolicy } from '../src/core/policy/read-policy.ts'
import { inspectCommandLine } from '../src/tools/run-command/run-command.ts'
import { readTable } from '../test/policy/commands.ts'
import { median, percentile, type Row } from './table.ts'

const BYTES = 64_000
const WANTED_MS = 300

// biome-ignore format: a table
const FORBIDDEN = [
  'rm *', 'git push*', 'curl -X POST*', 'rm -rf *', 'git reset --hard*', 'npm publish*', 'docker run *', 'kubectl delete*', 'sudo *', '*secrets/*',
  'terraform destroy*', 'aws s3 rm*', 'git push --force*', 'npm install -g *', 'chmod 777 *', 'dd *', 'mkfs*', 'gh pr merge*', 'helm uninstall*', 'make deploy*',
]

/** Text that costs a reader of shell text most. */
// biome-ignore format: a table
const FAMILIES = [
  '(', ')', '$(', '`', '{', '}', '"', "'", '\\', 'a&&', 'a|', '[[ ', '<(', '<<E\n', 'sudo ', 'sudo -a ', 'eval ', 'bash -c ', 'find -exec ', '-exec a ',
  'ls .h*', '{a,b}', '{.h,', '@(', 'env -S ', 'alias a=b ', 'a=b ', '1,', 's/a/b/;', `\${a:-`, '((', '! ', '# \\\n', '$', "'a b' ", '.h$X', 'xargs -I a ',
  'a{} ', 'foo $x ', 'foo rm ', 'x; ', 'foo "a b" ', "python3 -c 'x' ", 'node -e ', 'make X=$(', 'git -c a.b=c ', 'npm config ', 'x=$((a)) ',
  '[[ a -eq b ]];', 'printf -v a[1] ', 'for i in a;do ', 'a=$(b);', '> a ', 'rm *', 'a <<< $x;', '>a rm; ', 'tee a ', 'git config ', "sqlite3 x '.import a' ",
  'psql \\g', './a;', '*.*o*d* ', 'cp /bin/rm ', 'awk "a" ', 'export A=$(b) ',
]

/** What a ruling on a command costs, under 20 rules that forbid. */
export async function measureRulings(): Promise<Row[]> {
  const rules = FORBIDDEN.map(command => ({ tool: 'run_command', match: { command }, policy: 'never' }))
  const policy = readPolicy({ default: 'auto', rules }, 'bench')
  const { rows } = readTable()
  for (const { command } of rows) await ruled(policy, command)
  const usual: number[] = []
  for (const { command } of rows) usual.push(await ruled(policy, command))
  const parsed = rows.map(({ command }) => spent(() => parse(command)))
  const hostile: { readonly family: string; readonly ms: number }[] = []
  for (const family of FAMILIES) {
    const text = family.repeat(BYTES / family.length)
    const all = [await ruled(policy, text), await ruled(policy, text), await ruled(policy, text)]
    hostile.push({ family, ms: median(all) })
  }
  const worst = hostile.toSorted((a, b) => b.ms - a.ms)[0]
  return [
    { figure: `a ruling on one of ${rows.length} commands, ms at p50`, value: median(usual), wanted: '' },
    { figure: 'the same, at p99', value: percentile(usual, 0.99), wanted: '' },
    { figure: 'beside parsing it alone, at p50', value: median(usual) / median(parsed), wanted: '' },
    {
      figure: `the worst of ${FAMILIES.length} families at 64 KB (${JSON.stringify(worst?.family)}), ms of CPU`,
      value: worst?.ms ?? Number.NaN,
      wanted: `${WANTED_MS}`,
    },
  ]
}

/** Milliseconds of CPU, whatever else the machine does. */
async function ruled(policy: Policy, command: string): Promise<number> {
  const start = process.cpuUsage()
  const facts = await inspectCommandLine(command, { workdir: '/project' })
  rule(policy, { tool: 'run_command', arguments: { command }, facts, needs_approval: null })
  return cpuMs(start)
}

function spent(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  return cpuMs(start)
}

function cpuMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
