import { GRANT_SCOPES } from '../../core/hold/grant.ts'
import type { Command } from '../command/command.ts'
import { choiceFlag } from '../command/flag-words.ts'
import { type Flag, JSON_FLAG, SERVER_FLAG, STORE_FLAG } from '../command/flags.ts'

const REASON: Flag = { name: 'reason', value: 'TEXT', help: 'recorded, and told to the model' }
const DECISION_ID: Flag = {
  name: 'decision-id',
  value: 'ID',
  help: 'the same id again is the same decision, and succeeds again',
}
const DIGEST: Flag = {
  name: 'digest',
  value: 'DIGEST',
  help: 'the digest that you were shown: refused if the hold has another one by now',
}
const ADVANCE: Flag = {
  name: 'advance',
  help: 'then go on with the run here, as a resume would: its outcome on stdout, its exit code',
}
const WHERE: readonly Flag[] = [STORE_FLAG, JSON_FLAG]
const ANYWHERE: readonly Flag[] = [STORE_FLAG, SERVER_FLAG, JSON_FLAG]

/** By which people and scripts decide, in the order in which the help lists them. */
export const DECIDING_COMMANDS: readonly Command[] = [
  {
    name: 'approve',
    group: 'decide',
    usage: '[HOLD…] [--reason TEXT] [--advance]',
    summary: 'let calls run that wait for approval',
    text: async () => (await import('../cli/help/texts/deciding.ts')).APPROVE,
    flags: [
      REASON,
      {
        name: 'only',
        value: 'PATH',
        multiple: true,
        help: 'of what a command did in a box, keep these files alone; globs too',
      },
      { name: 'always', value: 'NAME', help: 'always allow this from here on, under this name' },
      choiceFlag('scope', GRANT_SCOPES, 'with --always: run (default), thread or project'),
      { name: 'expires', value: 'WHEN', help: 'with --always: 30d (default), 12h, … or an ISO time' },
      {
        name: 'match',
        value: 'ARG=GLOB',
        multiple: true,
        help: 'with --always: every call whose arguments are like this',
      },
      DECISION_ID,
      DIGEST,
      ADVANCE,
      ...ANYWHERE,
    ],
    load: () => import('../cli/deciding/approve.ts'),
  },
  {
    name: 'reject',
    group: 'decide',
    usage: 'HOLD… [--reason TEXT] [--advance]',
    summary: 'refuse calls, or to answer; the agent is told why',
    text: async () => (await import('../cli/help/texts/deciding.ts')).REJECT,
    flags: [REASON, DECISION_ID, ADVANCE, ...ANYWHERE],
    load: async () => ({ run: (await import('../cli/deciding/approve.ts')).reject }),
  },
  {
    name: 'answer',
    group: 'decide',
    usage: 'HOLD TEXT | HOLD --value JSON',
    summary: 'answer a question, a text pause or, in words, an approval',
    text: async () => (await import('../cli/help/texts/deciding.ts')).ANSWER,
    flags: [
      { name: 'value', value: 'JSON', help: 'the answer, typed, in place of TEXT' },
      DECISION_ID,
      ADVANCE,
      ...ANYWHERE,
    ],
    load: () => import('../cli/deciding/answer.ts'),
  },
  {
    name: 'edit',
    group: 'decide',
    usage: 'HOLD [--arguments JSON|@FILE|-]',
    summary: 'let a call run with other arguments',
    text: async () => (await import('../cli/help/texts/deciding.ts')).EDIT,
    flags: [
      { name: 'arguments', value: 'JSON', help: 'the arguments, in place of an editor; @FILE or - (stdin) read them' },
      REASON,
      DECISION_ID,
      ADVANCE,
      ...ANYWHERE,
    ],
    load: () => import('../cli/deciding/edit.ts'),
  },
  {
    name: 'cancel',
    group: 'decide',
    usage: 'RUN | HOLD [--reason TEXT] [--advance]',
    summary: 'end a run for good, or cancel one call that waits',
    text: async () => (await import('../cli/help/texts/deciding.ts')).CANCEL,
    flags: [REASON, DECISION_ID, ADVANCE, ...ANYWHERE],
    load: () => import('../cli/deciding/cancel.ts'),
  },
  {
    name: 'context',
    group: 'keep',
    usage: 'drop SESSION [PLACE]',
    summary: 'leave a part of a session out of what its model reads',
    text: async () => (await import('../cli/help/texts/looking.ts')).CONTEXT,
    flags: ANYWHERE,
    words: ['drop'],
    load: () => import('../cli/runs/context.ts'),
  },
  {
    name: 'undo',
    group: 'decide',
    usage: 'HOLD | SESSION/CALL',
    summary: 'take back what a command changed in a box',
    text: async () => (await import('../cli/help/texts/deciding.ts')).UNDO,
    flags: [STORE_FLAG, JSON_FLAG],
    load: () => import('../cli/runs/undo.ts'),
  },
  {
    name: 'assign',
    group: 'decide',
    usage: 'HOLD WHO | HOLD --nobody',
    summary: 'say who is asked to decide',
    text: async () => (await import('../cli/help/texts/deciding.ts')).ASSIGN,
    flags: [{ name: 'nobody', help: 'nobody in particular is asked' }, { ...REASON, help: 'recorded' }, ...ANYWHERE],
    load: async () => ({ run: (await import('../cli/deciding/answer.ts')).assign }),
  },
  {
    name: 'grants',
    group: 'decide',
    usage:
      '[--all] [--agent NAME] [--tool NAME] | add [NAME] --agent NAME --tool NAME --match ARG=GLOB | revoke GRANT|NAME',
    summary: 'list what is always allowed, add to it, or take it back',
    text: async () => (await import('../cli/help/texts/deciding.ts')).GRANTS,
    flags: [
      { name: 'all', help: 'also those that were revoked or have expired' },
      { name: 'agent', value: 'NAME', help: 'only those of this agent; add: whose calls' },
      { name: 'tool', short: 't', value: 'NAME', help: 'only those for this tool; add: of which tool' },
      { name: 'match', value: 'ARG=GLOB', multiple: true, help: 'add: every call whose arguments are like this' },
      { name: 'expires', value: 'WHEN', help: 'add: 30d (default), 12h, … or an ISO time' },
      ...WHERE,
    ],
    words: ['add', 'revoke'],
    load: () => import('../cli/policy/grants.ts'),
  },
  {
    name: 'prune',
    group: 'keep',
    usage: '--older-than AGE [--dry-run]',
    summary: 'delete sessions and tasks that are long finished',
    text: async () => (await import('../cli/help/texts/housekeeping.ts')).PRUNE,
    flags: [
      { name: 'older-than', value: 'AGE', help: 'only sessions that were left alone for so long: 30d, 12h, …' },
      { name: 'dry-run', help: 'count, and delete nothing' },
      ...WHERE,
    ],
    load: () => import('../cli/runs/prune.ts'),
  },
  {
    name: 'store',
    group: 'keep',
    usage: 'copy FROM TO [--dry-run]',
    summary: 'move all of a store to another one',
    text: async () => (await import('../cli/help/texts/housekeeping.ts')).STORE,
    flags: [
      { name: 'dry-run', help: 'look whether it can be copied, count, and change nothing' },
      { name: 'give-up', help: 'end a copy that was cut off: FROM goes on, and TO is of no use' },
      JSON_FLAG,
    ],
    words: ['copy'],
    load: () => import('../cli/store/copy-store.ts'),
  },
]
