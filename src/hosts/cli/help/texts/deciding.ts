/** The help of commands by which people and scripts decide. */
import type { Block, CommandText } from '../../../command/command.ts'

const AFTER: readonly Block[] = [
  'The decision is on record once this exits with 0. A worker, `holdpoint -c CHECKPOINT` or --advance goes on with the run. Of two deciders the second is refused with exit 2, and told who was first. HOLD is the id of a hold, or of its call if the open holds about a call of that name are of one session.',
  'You are HOLDPOINT_ACTOR, or your login. Within a command that an agent runs you are that agent, and an agent decides neither its own hold nor one that does not name it among its deciders.',
]

export const APPROVE: CommandText = {
  about: [
    'Without HOLD, in a terminal, you pick one of the calls that wait. It is shown in full, and you are asked.',
    ...AFTER,
    'Several holds are decided in one transaction, and each stands for itself: if one is refused, exit 2, the others are on record all the same. With --advance they must be of one run.',
    'With --always calls like this one run without asking from here on: with exactly these arguments, or as --match says; in this run, this session (thread), or this project. That never covers what policy never allows, nor destructive tools other than the built-in ones. `holdpoint grants` lists these grants and takes them back.',
  ],
  examples: [
    ['holdpoint approve hold_…', 'it runs as shown'],
    ['holdpoint approve tc_1 tc_2 --reason "after the backup"', 'both, by the ids of their calls'],
    ['holdpoint approve hold_… --advance -o json', 'and go on with the run here'],
    ['holdpoint approve tc_1 --digest sha256:…', 'only what `holdpoint show` printed'],
    [
      "holdpoint approve hold_… --always status --scope project --match 'command=git status*' --expires 7d",
      'and calls like it for a week',
    ],
  ],
}

export const REJECT: CommandText = {
  about: [
    ...AFTER,
    'The same call with the same arguments again in the same run is rejected without asking. A call in doubt that is rejected counts as failed. Several holds are decided in one transaction, and each stands for itself.',
  ],
  examples: [
    ['holdpoint reject hold_… --reason "not on a Friday"', 'the model is told why'],
    ['holdpoint reject tc_1 tc_2 --json', 'for scripts'],
  ],
}

export const ANSWER: CommandText = {
  about: [
    'A question takes TEXT as it is, or as JSON if it asks for more than text. An approval takes a yes or a no (`yes`, `lgtm`, `no`, `/deny why`, …): anything else is refused, and the hold stays open. A text pause takes the next message. `-` reads TEXT from stdin.',
    '--value takes JSON alone: the result of a call that ran elsewhere, or of one in doubt that happened.',
    ...AFTER,
  ],
  examples: [
    ['holdpoint answer hold_… "eu-west-1"', 'a question'],
    ['holdpoint answer hold_… --value \'{"region": "eu-west-1", "nodes": 3}\'', 'in JSON'],
    ['holdpoint answer hold_… lgtm', 'approves'],
    ['git diff | holdpoint answer hold_… - --advance', 'from stdin, and go on'],
  ],
}

export const EDIT: CommandText = {
  about: [
    'Opens the arguments in VISUAL or EDITOR; in a terminal what you changed is shown before it counts. They must fit the tool, and what policy never allows stays forbidden. The model sees the original, the edited arguments, and who edited.',
    ...AFTER,
  ],
  examples: [
    ['holdpoint edit hold_…', 'in your editor'],
    ['holdpoint edit tc_1 --arguments \'{"command": "ls -l"}\'', 'for scripts'],
    ["jq '.replicas = 2' arguments.json | holdpoint edit hold_… --arguments -", 'from stdin'],
  ],
}

export const CANCEL: CommandText = {
  about: [
    'A run that is cancelled is done: what waits is withdrawn, tools that run are told to stop, later decisions are refused. If another process works on it, that process ends it as soon as its tools have stopped.',
    'A call that is cancelled is shown to the model as such, and the run goes on: with --advance here.',
  ],
  examples: [
    ['holdpoint cancel run_… --reason "no longer needed"', 'the whole run'],
    ['holdpoint cancel hold_…', 'only this call'],
  ],
}

export const ASSIGN: CommandText = {
  about: [
    'WHO is a person or a @group. It gives no right to decide: the deciders of the tool, the agent or the project say who has it.',
  ],
  examples: [
    ['holdpoint assign hold_… ben --reason "knows the cluster"', 'ask ben'],
    ['holdpoint assign hold_… --nobody', 'ask no one in particular'],
    ['holdpoint holds --assignee ben', 'what is ben asked?'],
  ],
}

export const GRANTS: CommandText = {
  about: [
    'A grant lets calls pass that policy would ask about, in a run, a session or a project, until it expires or is revoked. It is given along with an approval: `holdpoint approve HOLD --always NAME`. Agents can give none.',
    '`add` switches on a rule that `holdpoint policy suggest` named, for this project. It is refused if a person ever refused a call that the rule covers, or if none was ever approved.',
  ],
  examples: [
    ['holdpoint grants', 'what runs without asking, and on whose word?'],
    ['holdpoint grants --all --json', 'also what was revoked or has expired'],
    [
      'holdpoint grants add --agent default --tool run_command --match "command=git show *"',
      'a rule that was suggested',
    ],
    ['holdpoint grants revoke status', 'by its name, or by its id: from here on it is asked about again'],
  ],
}

export const UNDO: CommandText = {
  about: [
    'A command that ran in a box changed its files at once, by rule or by approval, and what it replaced is kept beside the store. `undo` puts it back, if each of these files is still as the command left it; else it changes nothing. It is put on record, and an agent may not do it.',
    'SESSION/CALL is the idempotency key of the call, as `holdpoint threads show` names both. Hosts that the command connected to know nothing of it.',
  ],
  examples: [
    ['holdpoint undo hold_…', 'take back what was approved there'],
    ['holdpoint undo th_…/tc_1', 'take back what ran by rule'],
  ],
}
