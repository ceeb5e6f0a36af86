/** What the journals of the corpus are recorded from: see `record-journals.ts`. */
/**
 * A story on the command line: each act continues from the newest checkpoint, which `CP` stands for; `HOLD` is the oldest
 * open hold, and a first word like `@ben` says who acts.
 */
export interface Story {
  readonly script: readonly unknown[]
  readonly policy?: unknown
  readonly config?: unknown
  readonly files?: Readonly<Record<string, string>>
  readonly acts: readonly (readonly string[])[]
}

const command = (id: string, text: string) => ({ id, name: 'run_command', args: { command: text } })
const START = ['-a', '--pause-on-approval', 'go']
const DEPLOY = [
  { text: 'Soon.', calls: [command('tc_1', 'echo applied')], usage: { input: 10, output: 5 } },
  { text: 'Done.', usage: { input: 20, output: 2 } },
]
const BATCH = [{ calls: [command('a', 'echo one'), command('b', 'echo two'), command('c', 'echo three')] }, 'Done.']
const QUESTION = [
  {
    calls: [
      { id: 'q', name: 'ask_human', args: { question: 'Red or blue?', choices: ['red', 'blue'] } },
      command('tc_1', 'echo applied'),
    ],
  },
  'Done.',
]
/** Kills the process that runs it. */
const DIES = [{ calls: [command('tc_1', 'kill -9 $PPID'), command('tc_2', 'echo second')] }, 'Done.']
const AUTO = { default: 'auto' }

/** What waits in the corpus waits for as long as it takes: nothing in it is overdue whenever it is read. */
export const PATIENT = { due: { seconds: null } }
const within = (seconds: number, more = {}) => ({ due: { seconds, ...more } })

export const STORIES: Readonly<Record<string, Story>> = {
  'waits for an approval': { script: DEPLOY, acts: [START] },
  approved: { script: DEPLOY, acts: [START, ['-c', 'CP', '--approve', 'tc_1']] },
  'rejected, and not asked again': {
    script: [...DEPLOY.slice(0, 1), { calls: [command('tc_2', 'echo applied')] }, 'Then not.'],
    acts: [START, ['-c', 'CP', '--reject', 'tc_1', '--reason', 'not on a Friday']],
  },
  'a batch with a rejection': {
    script: BATCH,
    acts: [START, ['-c', 'CP', '--approve', 'a', '--reject', 'b', '--approve', 'c']],
  },
  'a batch of which one call needs nobody': {
    script: BATCH,
    policy: { default: 'auto', rules: [{ tool: 'run_command', match: { command: '*two*' }, policy: 'prompt' }] },
    acts: [START],
  },
  edited: { script: DEPLOY, acts: [START, ['-c', 'CP', '--edit', 'tc_1={"command":"echo edited"}']] },
  'a question that waits': { script: QUESTION, policy: AUTO, acts: [START] },
  'a question, answered': { script: QUESTION, policy: AUTO, acts: [START, ['-c', 'CP', '--answer', 'q=blue']] },
  'a text pause': { script: ['Shall I?', ...DEPLOY], acts: [START] },
  'a text pause, answered, and finished': {
    script: ['Shall I?', 'It is done.'],
    acts: [START, ['-c', 'CP', '--pause-on', 'input', 'yes, proceed'], ['-c', 'CP', '--finish']],
  },
  'killed while a call ran': { script: DIES, acts: [START, ['-c', 'CP', '--approve-all']] },
  'in doubt': { script: DIES, acts: [START, ['-c', 'CP', '--approve-all'], ['-c', 'CP']] },
  'in doubt, and it happened': {
    script: DIES,
    acts: [START, ['-c', 'CP', '--approve-all'], ['-c', 'CP'], ['-c', 'CP', '--answer', 'tc_1={"exit_code":0}']],
  },
  'a fork that waits': { script: DEPLOY, acts: [START, ['-c', 'CP', '--fork']] },
  'two runs on one thread': {
    script: ['Hello.', ...DEPLOY],
    acts: [
      ['-a', 'go'],
      ['-c', 'CP', '--pause-on-approval', 'more'],
      ['-c', 'CP', '--approve', 'tc_1'],
    ],
  },
  'a model that fails': {
    script: [...DEPLOY.slice(0, 1), { error: { message: 'out of order' } }],
    policy: AUTO,
    acts: [['-a', 'go']],
  },
  'stopped by a limit': { script: DEPLOY, policy: AUTO, acts: [['-a', '--max-steps', '1', 'go']] },
  'other tools on resume': { script: BATCH, acts: [START, ['-c', 'CP', '-t', 'read_file']] },
  interrupted: {
    script: [{ calls: [command('tc_1', 'kill -TERM $PPID; sleep 5')] }, 'Done.'],
    policy: AUTO,
    acts: [['-a', 'go']],
  },
  'a file, written': {
    script: [{ calls: [{ id: 'tc_1', name: 'write_file', args: { path: 'kept.txt', content: 'gold' } }] }, 'Done.'],
    acts: [START, ['-c', 'CP', '--approve', 'tc_1']],
  },
  'one of two approvals': {
    script: DEPLOY,
    config: { ...PATIENT, deciders: { quorum: 2 } },
    acts: [START, ['@ben', 'approve', 'HOLD']],
  },
  'an unclear answer, an assignment, an approval': {
    script: DEPLOY,
    acts: [
      START,
      ['answer', 'HOLD', 'hm'],
      ['@ben', 'assign', 'HOLD', 'cem'],
      ['@cem', 'approve', 'HOLD', '--advance'],
    ],
  },
  'nobody decided in time': {
    script: DEPLOY,
    config: within(0.001, { on_due: 'reject' }),
    acts: [START, ['work', '--once']],
  },
  'nobody decided in time, nor did who was asked then': {
    script: DEPLOY,
    config: within(0.002, { remind_after: [0.001], escalation: [{ assignee: 'eve', seconds: 0.001 }] }),
    acts: [START, ['work', '--once'], ['work', '--once']],
  },
  'always allowed in this session': {
    script: [...DEPLOY.slice(0, 1), { calls: [command('tc_2', 'echo applied')] }, 'Twice.'],
    acts: [START, ['approve', 'HOLD', '--always', 'deploys', '--scope', 'thread', '--advance']],
  },
  'arguments that are not JSON, and an unknown tool': {
    script: [
      {
        calls: [
          { id: 'x', name: 'run_command', raw_args: '{broken' },
          { id: 'y', name: 'no_such_tool' },
        ],
      },
      'Sorry.',
    ],
    policy: AUTO,
    acts: [['-a', 'go']],
  },
}

/** Stories over the library that end half-way, where a process was killed. */
export const CUT: Readonly<Record<string, string>> = {
  'three calls side by side': 'after:append(call.finished)',
  'a call that is approved while three others run': 'after:decide(hold.decided)',
  'suspend, then be told the decision': 'after:append(hold.opened, call.started)',
  'a message that is queued while it waits': 'after:request(message.queued)',
  'a message that supersedes what waits': 'after:request(hold.withdrawn, message.queued)',
  'cancel of a waiting run': 'after:request(hold.withdrawn, cancel.requested)',
  'a tool that changes after it was approved': 'after:append(hold.opened)',
  'a plugin that counts': 'after:append(plugin.set, phase.passed, checkpoint.named)',
}
