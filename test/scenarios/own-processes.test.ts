/** Most stories run their commands in warm processes (`warm/`). Here each command and each exit code has a process of its own. */
import { afterAll, expect, test } from 'vitest'
import { COMMANDS } from '../../src/hosts/entry/commands.ts'
import { aProject, effect, type Finished, type Project, runInOwnProcesses } from './project.ts'

afterAll(runInOwnProcesses())

interface Ids {
  readonly hold: string
  readonly run: string
  readonly session: string
  readonly checkpoint: string
}

type Row = readonly [exit: number, prints: RegExp, args: (ids: Ids) => readonly string[]]

/** In the order in which they are run, in a project with a session that waits for an approval. */
// biome-ignore format: a table
const ROWS: Readonly<Record<string, Row>> = {
  holds:           [0, /^\[\{"hold_id":/, () => ['--json']],
  show:            [0, /^hold_\w+ +approval +open /, ({ hold }) => [hold]],
  runs:            [0, /^\[\{"run_id":/, () => ['--json']],
  threads:         [0, /^\[\{"session_id":/, () => ['--json']],
  checkpoints:     [0, /^CHECKPOINT /, ({ session }) => [session]],
  'check-pending': [0, /^ok +hold_/, () => []],
  audit:           [0, /^4 records of the store: nothing is wrong/, () => ['verify']],
  report:          [0, /^People were asked/, () => []],
  grants:          [0, /^Nothing is always allowed/, () => []],
  agents:          [0, /^\[\]/, () => ['--json']],
  tasks:           [0, /^\[\]/, () => ['--json']],
  tokens:          [0, /^No tokens/, () => []],
  notices:         [0, /^No notices/, () => []],
  policy:          [0, /^prompt/, () => ['check', 'ls']],
  doctor:          [0, /^ok +node/, () => ['--offline']],
  completion:      [0, /^# holdpoint completion for bash/, () => ['bash']],
  trust:           [0, /needs no trust/, () => ['--yes']],
  new:             [0, /shop/, () => ['shop']],
  init:            [0, /written +config.json/, () => ['helper']],
  daemon:          [1, /^No daemon runs/, () => ['status']],
  inbox:           [2, /--port/, () => ['--port', 'x']],
  serve:           [2, /--port/, () => ['--port', 'x']],
  mcp:             [2, /--http/, () => ['--port', '1']],
  chat:            [2, /needs a terminal/, () => ['th_unknown']],
  assign:          [0, /ana/, ({ hold }) => [hold, 'ana']],
  approve:         [0, /approved by ana/, ({ hold }) => [hold]],
  answer:          [2, /already chose approve/, ({ hold }) => [hold, 'yes']],
  reject:          [2, /already chose approve/, ({ hold }) => [hold]],
  edit:            [2, /already chose approve/, ({ hold }) => [hold, '--arguments', '{"command":"true"}']],
  work:            [0, /run_/, () => ['--once']],
  cancel:          [2, /is finished already/, ({ run }) => [run]],
  checkpoint:      [2, /was resumed already/, ({ checkpoint }) => ['export', checkpoint, '--out', 'bundle']],
  prune:           [0, /./, () => ['--older-than', '1d', '--dry-run']],
  store:           [0, /./, () => ['copy', 'sqlite:.holdpoint/holdpoint.db', 'sqlite:copy.db', '--dry-run']],
  demo:            [0, /./, () => []],
  context:         [0, /./, ({ session }) => ['drop', session]],
  undo:            [2, /nothing to undo/, ({ hold }) => [hold]],
}

test('each command does its work in a process of its own', async () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
  await using project = await aProject({ script: [{ calls: [effect('tc_1', 'applied')] }, 'Done.'] })
  const ids = await paused(project)
  const found: Record<string, Pick<Finished, 'exit'> & { readonly printed: string }> = {}
  for (const [name, [, , args]] of Object.entries(ROWS)) {
    const { exit, stdout, stderr } = await project.run([name, ...args(ids)])
    found[name] = { exit, printed: stdout + stderr }
  }
  const wanted = Object.entries(ROWS).map(([name, [exit, prints]]) => [
    name,
    { exit, printed: expect.stringMatching(prints) },
  ])
  expect(found).toEqual(Object.fromEntries(wanted))
  expect(await project.effects()).toEqual(['applied'])
})

async function paused(project: Project): Promise<Ids> {
  const { exit, json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  expect(exit).toBe(10)
  const [{ hold_id }] = json.pause_reason.pending_tool_calls
  return { hold: hold_id, run: json.run_id, session: json.session_id, checkpoint: json.checkpoint_id }
}
