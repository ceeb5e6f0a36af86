import type { Command } from '../command/command.ts'
import { type Flag, JSON_FLAG, STORE_FLAG } from '../command/flags.ts'

const REASON: Flag = { name: 'reason', value: 'TEXT', help: 'recorded, and shown to the model on rejection' }
const DECISION_ID: Flag = {
  name: 'decision-id',
  value: 'ID',
  help: 'the same id again is the same decision again, and succeeds again',
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

const WHO = `You are HOLDPOINT_ACTOR, or your login; within a command that an agent runs you are that agent, and no agent decides
its own hold, or any that does not name it among its deciders.`

const AFTER = `The decision is on record once this exits with 0; a worker, \`holdpoint -c CHECKPOINT\` or --advance goes on with the run.
Whoever comes second is refused with exit 2 and told who was first. HOLD is the id of a hold, or of its call where no
other session has a call of that name.
${WHO}`

/** By which people and scripts decide, in the order in which the help lists them. */
export const DECIDING_COMMANDS: readonly Command[] = [
  {
    name: 'approve',
    usage: '[HOLD…] [--reason TEXT] [--advance]',
    summary: 'let calls run that wait for approval',
    about: `${AFTER}

Without HOLD, in a terminal, the one call that waits is shown in full, and you are asked.

Several holds are decided in one transaction, and each stands for itself: where one is refused, exit 2, the others are
on record all the same. With --advance they must be of one run.

With --always calls like this one run without asking from here on: with exactly these arguments, or like --match says;
in this run, this session (thread), or this project; never for what policy never allows, nor for destructive tools
other than the built-in ones.
\`holdpoint grants\` lists them and takes them back.

Examples:
  holdpoint approve hold_…                                       it runs as shown
  holdpoint approve tc_1 tc_2 --reason "after the backup"        both, by the ids of their calls
  holdpoint approve hold_… --advance -o json                     and go on with the run here
  holdpoint approve tc_1 --digest sha256:…                       only what \`holdpoint show\` printed
  holdpoint approve hold_… --always "status" --scope project --match 'command=git status*' --expires 7d`,
    flags: [
      REASON,
      { name: 'always', value: 'NAME', help: 'always allow this from here on, under this name' },
      { name: 'scope', value: 'SCOPE', help: 'with --always: run (default), thread or project' },
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
      ...WHERE,
    ],
    load: () => import('../cli/deciding/approve.ts'),
  },
  {
    name: 'reject',
    usage: 'HOLD… [--reason TEXT] [--advance]',
    summary: 'refuse calls, or to answer; the agent is told why',
    about: `${AFTER}

The same call with the same arguments again in the same run is rejected without asking. A call in doubt that is
rejected counts as failed. Several holds are decided in one transaction, and each stands for itself.

Examples:
  holdpoint reject hold_… --reason "not on a Friday"
  holdpoint reject tc_1 tc_2 --json`,
    flags: [REASON, DECISION_ID, ADVANCE, ...WHERE],
    load: () => import('../cli/deciding/reject.ts'),
  },
  {
    name: 'answer',
    usage: 'HOLD TEXT | HOLD --value JSON',
    summary: 'answer a question, a text pause or, in words, an approval',
    about: `${AFTER}

A question takes TEXT as it is, or as JSON where it asks for more than text; an approval a yes or a no (\`yes\`, \`lgtm\`,
\`no\`, \`/deny why\`, …): what is neither is refused, and the hold stays open. A text pause takes the next message.
\`-\` reads TEXT from stdin. --value takes JSON alone: the result of a call that ran elsewhere, or of one in doubt that
happened.

Examples:
  holdpoint answer hold_… "eu-west-1"
  holdpoint answer hold_… --value '{"region": "eu-west-1", "nodes": 3}'
  holdpoint answer hold_… lgtm                                   approves
  git diff | holdpoint answer hold_… - --advance`,
    flags: [
      { name: 'value', value: 'JSON', help: 'the answer, typed, in place of TEXT' },
      DECISION_ID,
      ADVANCE,
      ...WHERE,
    ],
    load: () => import('../cli/deciding/answer.ts'),
  },
  {
    name: 'edit',
    usage: 'HOLD [--arguments JSON|@FILE|-]',
    summary: 'let a call run with other arguments',
    about: `${AFTER}

Opens the arguments in VISUAL or EDITOR; in a terminal what you changed is shown before it counts. They must fit the
tool, and what policy never allows stays forbidden. The model sees the original, the edited arguments, and who edited.

Examples:
  holdpoint edit hold_…                                          in your editor
  holdpoint edit tc_1 --arguments '{"command": "ls -l"}'         for scripts
  jq '.replicas = 2' arguments.json | holdpoint edit hold_… --arguments -`,
    flags: [
      { name: 'arguments', value: 'JSON', help: 'the arguments, in place of an editor; @FILE or - (stdin) read them' },
      REASON,
      DECISION_ID,
      ADVANCE,
      ...WHERE,
    ],
    load: () => import('../cli/deciding/edit.ts'),
  },
  {
    name: 'cancel',
    usage: 'RUN | HOLD [--reason TEXT] [--advance]',
    summary: 'end a run for good, or cancel one call that waits',
    about: `A run that is cancelled is done: what waits is withdrawn, tools that run are told to stop, later decisions are refused.
Where another process works on it, that process ends it as soon as its tools have stopped. A call that is cancelled is
shown to the model as such, and the run goes on: with --advance here.

Examples:
  holdpoint cancel run_… --reason "no longer needed"
  holdpoint cancel hold_…                                        only this call`,
    flags: [REASON, DECISION_ID, ADVANCE, ...WHERE],
    load: () => import('../cli/deciding/cancel.ts'),
  },
  {
    name: 'assign',
    usage: 'HOLD WHO | HOLD --nobody',
    summary: 'say who is asked to decide',
    about: `WHO is a person or a @group. It gives nobody the right to decide: that is what the deciders of the tool, the agent or
the project say.

Examples:
  holdpoint assign hold_… ben --reason "knows the cluster"
  holdpoint assign hold_… --nobody
  holdpoint holds --assignee ben                                 what is he asked?`,
    flags: [{ name: 'nobody', help: 'nobody in particular is asked' }, { ...REASON, help: 'recorded' }, ...WHERE],
    load: () => import('../cli/deciding/assign.ts'),
  },
  {
    name: 'grants',
    usage: '[--all] [--agent NAME] [--tool NAME] | revoke GRANT',
    summary: 'list what is always allowed, or take it back',
    about: `A grant lets calls pass that policy would ask about, in a run, a session or a project, until it expires or is revoked.
It is given along with an approval: \`holdpoint approve HOLD --always NAME\`. Agents can give none.

Examples:
  holdpoint grants                                               what runs without asking, and on whose word?
  holdpoint grants --all --json                                  also what was revoked or has expired
  holdpoint grants revoke grant_…                                from here on it is asked about again`,
    flags: [
      { name: 'all', help: 'also those that were revoked or have expired' },
      { name: 'agent', value: 'NAME', help: 'only those of this agent' },
      { name: 'tool', short: 't', value: 'NAME', help: 'only those for this tool' },
      ...WHERE,
    ],
    words: ['revoke'],
    load: () => import('../cli/policy/grants.ts'),
  },
  {
    name: 'prune',
    usage: '--older-than AGE [--dry-run]',
    summary: 'delete sessions and tasks that are long finished',
    about: `A session goes whole: its journal, its runs, its holds, the grants for it, and the tasks about its runs. None goes in
which a run waits or is not finished, or anything happened since. Tasks about no run go once they are over. What is on record of it (\`holdpoint audit\`) stays. The store uses the space again;
its file does not shrink.

Examples:
  holdpoint prune --older-than 90d --dry-run                     what would go?
  holdpoint prune --older-than 90d`,
    flags: [
      { name: 'older-than', value: 'AGE', help: 'only sessions that were left alone for so long: 30d, 12h, …' },
      { name: 'dry-run', help: 'count, and delete nothing' },
      ...WHERE,
    ],
    load: () => import('../cli/runs/prune.ts'),
  },
]
