/** Rules that would have spared people approvals, from what is on record. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { aProject, CLI, command, type Project } from './project.ts'

/** What an agent asks for in each of twelve rounds: most of it is the same, and two calls nobody wants. */
const commands = (round: number) => [
  ...Array.from({ length: 8 }, (_, n) => `git show HEAD~${round * 8 + n}`),
  ...Array.from({ length: 8 }, (_, n) => `npm run check --silent -- part-${round}-${n}`),
  ...Array.from({ length: 6 }, (_, n) => `git add src/file-${round}-${n}.ts`),
  'make all',
  `git push origin feature-${round}`,
  'git push --force',
]
const ROUNDS = 12
const ASKED = 25

const turn = (round: number) => ({ calls: commands(round).map((text, n) => command(`tc_${round}_${n}`, text)) })

/** As a shell reads the words of a line. */
function wordsOf(line: string): string[] {
  return execFileSync('bash', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')
}

const textOf = (hold: { readonly arguments: { readonly command: string } }) => hold.arguments.command

/** A run of one round, as far as its questions. */
async function asked(project: Project, round: number) {
  await project.write('round.json', JSON.stringify([turn(round), 'Done.']))
  return project.holdpoint('-o', 'json', '--model', 'script:round.json', '--pause-on', 'approval', 'go')
}

test('of 300 decisions come rules that leave 3 of 25 questions, and let nothing pass that a person refused', async () => {
  // What the commands do is nothing to the rules, so there are no programs for them.
  await using project = await aProject({ policy: { default: 'prompt' }, env: { PATH: '/nowhere' } })
  for (let round = 0; round < ROUNDS; round += 1) {
    const paused = await asked(project, round)
    const refused = `tc_${round}_${ASKED - 1}`
    const approve = commands(round).flatMap((_, n) => (n === ASKED - 1 ? [] : ['--approve', `tc_${round}_${n}`]))
    await project.holdpoint('-c', paused.json.checkpoint_id, ...approve, '--reject', refused, '-o', 'json')
  }

  const { exit, json } = await project.holdpoint('policy', 'suggest', '--json')
  expect(exit).toBe(0)
  const rules = json.suggestions.map(({ rule }: { rule: { match: { command: string } } }) => rule.match.command)
  expect(rules.toSorted()).toEqual(['git add *', 'git show *', 'make all', 'npm run *'])
  expect(json.suggestions[0]).toMatchObject({ spared: 96, of: ROUNDS * ASKED, replayed_over: ROUNDS * ASKED })

  await project.write(
    'suggested.json',
    JSON.stringify({ rules: json.suggestions.map(({ rule }: { rule: unknown }) => rule) }),
  )
  const check = async (text: string) =>
    (await project.holdpoint('policy', 'check', '--policy', 'suggested.json', '--json', text)).json.policy
  const verdicts = await Promise.all(commands(ROUNDS).map(check))
  expect(verdicts.filter(verdict => verdict !== 'auto').length).toBeLessThanOrEqual(3)
  expect(verdicts.at(-1)).toBe('prompt')

  const { stdout } = await project.holdpoint('policy', 'suggest')
  expect(stdout).toContain('of all 300 answers on record, no refusal is about a call that it covers')
  const switchOn = [...stdout.matchAll(/switch it on: holdpoint (.*)/g)].map(([, line = '']) => line)
  expect(switchOn[0]).toBe(`grants add --agent default --tool run_command --match 'command=git show *'`)

  for (const line of switchOn) expect(await project.holdpoint(...wordsOf(line))).toMatchObject({ exit: 0 })
  await asked(project, ROUNDS)
  const open = async () => (await project.holdpoint('holds', '--json')).json.map(textOf)
  expect(await open()).toEqual([`git push origin feature-${ROUNDS}`, 'git push --force'])
  expect(await project.holdpoint('policy', 'suggest', '--json')).toMatchObject({ json: { suggestions: [] } })
  const [grant] = (await project.holdpoint('grants', '--json')).json
  expect(grant).toMatchObject({ scope: 'project', match: { command: 'git show *' }, uses: 8 })
  expect(Date.parse(grant.expires_at) - Date.parse(grant.granted_at)).toBe(30 * 86_400_000)
  expect(await project.holdpoint('audit', 'verify')).toMatchObject({ exit: 0 })

  expect(await project.holdpoint('grants', 'revoke', 'git show *')).toMatchObject({ exit: 0 })
  expect((await project.holdpoint('policy', 'suggest', '--json')).json.suggestions).toHaveLength(1)
  await asked(project, ROUNDS + 1)
  expect(await open()).toHaveLength(2 + 2 + 8)
})

test('where nothing repeats, nothing is suggested', async () => {
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'echo one')] }, 'Done.'],
    policy: { default: 'prompt' },
  })
  const paused = await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')
  await project.holdpoint('-c', paused.json.checkpoint_id, '--approve-all')
  expect(await project.holdpoint('policy', 'suggest', '--json')).toMatchObject({ exit: 0, json: { suggestions: [] } })
})

test('P1: no command of an agent switches a rule on, by its own name or from a namespace', async () => {
  const add = `${process.execPath} ${CLI} grants add --agent default --tool run_command --match 'command=make *' --json`
  const clean = `env -i PATH="$PATH" HOME="$HOME" HOLDPOINT_ACTOR=ana`
  await using project = await aProject({
    script: [{ calls: [command('tc_1', 'make a'), command('tc_2', 'make b')] }, 'Done.'],
    policy: { default: 'prompt' },
    files: {
      'attempt.json': JSON.stringify([{ calls: [command('tc_3', 'bash attempt.sh')] }, 'Done.']),
      'attempt.sh': `${add} >one.json\nunshare -rpf --mount-proc ${clean} ${add} >two.json\ntrue\n`,
      'auto.json': JSON.stringify({ default: 'auto' }),
    },
  })
  const paused = await project.holdpoint('--pause-on', 'approval', '-o', 'json', 'go')
  await project.holdpoint('-c', paused.json.checkpoint_id, '--approve-all')
  const run = await project.holdpoint(
    '--policy',
    'auto.json',
    '--model',
    'script:attempt.json',
    '-o',
    'json',
    'grant it',
  )
  expect(run).toMatchObject({ exit: 0 })
  expect(JSON.parse(await project.read('one.json'))).toMatchObject({ error: { code: 'invalid_grant' } })
  const two = await project.read('two.json')
  expect(two === '' || JSON.parse(two).error.code === 'process_not_trusted').toBe(true)
  expect(await project.holdpoint('grants', '--json')).toMatchObject({ json: [] })
  expect((await project.holdpoint(...wordsOf(add).slice(2))).json).toMatchObject({ granted_by: 'ana' })
})
