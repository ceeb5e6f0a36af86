import { expect, test } from 'vitest'
import { complete, type Sources } from '../cli/help/complete.ts'
import { COMMANDS } from './commands.ts'

const sources: Sources = {
  commands: COMMANDS,
  ids: async (kinds, beginning) =>
    kinds.map(kind => ({ id: `${kind}_1`, about: `a ${kind}` })).filter(({ id }) => id.startsWith(beginning)),
  agents: async () => ['deployer', 'support'],
  models: async () => ['openai/', 'script:'],
}

/** The candidates for the last word of a line, and `:files` if the shell adds its own. */
async function offered(line: string): Promise<string[]> {
  const { candidates, files } = await complete(line.split(' ').slice(1), sources)
  return [...candidates.map(({ text }) => text), ...(files === 'none' ? [] : [`:${files}`])]
}

test.each([
  ['holdpoint ru', ['runs']],
  ['holdpoint hel', ['help']],
  ['holdpoint help ru', ['runs', 'run']],
  ['holdpoint --appr', ['--approve', '--approve-all']],
  ['holdpoint -c cp_1 --rej', ['--reject', '--reject-all']],
  ['holdpoint --approve-all --appr', ['--approve']],
  ['holdpoint --approve tc_1 --approve ', ['call_1', 'hold_1']],
  ['holdpoint -c la', ['last', ':files']],
  ['holdpoint -c ', ['last', 'checkpoint_1', 'run_1', 'session_1', ':files']],
  ['holdpoint --agent sup', ['support', ':files']],
  ['holdpoint --model ', ['openai/', 'script:']],
  ['holdpoint --model=op', ['--model=openai/']],
  ['holdpoint --workdir ', [':directories']],
  ['holdpoint --policy p', [':files']],
  ['holdpoint -o s', ['stream-json']],
  ['holdpoint --pause-on a', ['approval']],
  ['holdpoint -- ru', []],
  ['holdpoint "fix ', ['--model', '--agent']],
  ['holdpoint runs --appr', []],
  ['holdpoint runs --status w', ['waiting']],
  ['holdpoint tasks --status pau', ['paused']],
  ['holdpoint holds --kind in', ['input', 'in_doubt']],
  ['holdpoint approve ', ['call_1', 'hold_1']],
  ['holdpoint approve hold_1 h', ['hold_1']],
  ['holdpoint show ', ['hold_1', 'run_1', 'session_1', 'task_1', 'checkpoint_1']],
  ['holdpoint threads s', ['show']],
  ['holdpoint threads show ', ['session_1']],
  ['holdpoint tasks wait task_1 ', ['task_1']],
  ['holdpoint tasks ', ['list', 'show', 'logs', 'wait', 'cancel', 'resume']],
  ['holdpoint grants revoke ', ['grant_1']],
  ['holdpoint audit verify ', [':files']],
  ['holdpoint completion z', ['zsh']],
] as const)('%s', async (line, expected) => {
  const found = await offered(line)
  if (line.endsWith('"fix ')) expect(found).toEqual(expect.arrayContaining([...expected]))
  else expect(found).toEqual(expected)
})

test('the first word is any command, each with what it does', async () => {
  const { candidates } = await complete([''], sources)
  for (const { name, summary } of COMMANDS) expect(candidates).toContainEqual({ text: name, about: summary })
})
