/** The help of commands that look. */
import type { CommandText } from '../../../command/command-text.ts'

export const HOLDS: CommandText = {
  about: [
    'A hold is a point past which a run may not go until a person decides: a call that needs approval, a question, a text pause, a call that runs elsewhere, or one that a crash left in doubt. If an agent started the run, its hold says so: `parent > child`.',
    'In a terminal a long request is cut, with a count of what is not shown; elsewhere nothing is cut. `holdpoint show HOLD` shows all of it, what happens at its deadline, and the commands that decide it.',
    'With --watch the list is shown again when something changes, until Ctrl-C. Without a terminal it prints a line for each hold that `opened`, `changed` (reminded, escalated, assigned, approved by one of several) or `closed`; with --json as { "change", "hold" }. Holds that are open at first count as opened, and --limit does not count there.',
  ],
  examples: [
    ['holdpoint holds', 'what waits, and since when?'],
    ['holdpoint holds --mine', 'what can I decide?'],
    ['holdpoint holds --assignee @managers --kind approval', 'what do the managers have to approve?'],
    ['holdpoint holds --status all --run run_… --json', 'all that was ever asked in one run'],
    ['holdpoint holds --watch --json | ./notify', 'pass it on as it happens'],
  ],
}

export const RUNS: CommandText = {
  about: [
    'Each run with how it stands, what it waits for, and the beginning of what it was told. A run that is `waiting` needs a person. One that is `exported` moved to another store and goes on there. One that is `ready` can go on, and no process works on it: a worker does so, or `holdpoint -c RUN`. With --json it is `running`, and `advancing_by` is null.',
    'With --tree each run stands below the run whose agent started it, even if that one would not be listed by itself; with --json it is in the `children` of that one.',
    '`release RUN` frees a run from a process on a host that is gone: other hosts cannot know that, so they leave the run to it for ever if no worker watches. It is refused while that process lives on this machine. A call that it had begun is in doubt then, and a person is asked. It goes on record.',
  ],
  examples: [
    ['holdpoint runs --status waiting', 'which runs need a person?'],
    ['holdpoint runs --status ready', 'which runs need a worker?'],
    ['holdpoint runs --tree', 'who started whom?'],
    ['holdpoint runs release run_…', 'its host is gone: let others go on with it'],
  ],
}

export const SHOW: CommandText = {
  about: [
    'ID is what another command printed: hold_…, run_…, th_…, task_… or cp_…, or its beginning from four letters on. A hold can also be named by its call, as for `holdpoint approve`. With --json it is all there is to know.',
  ],
  examples: [
    ['holdpoint show hold_…', 'what exactly is asked, and how do I decide it?'],
    ['holdpoint show run_…', 'how does the run stand, and how does it go on?'],
  ],
}

export const THREADS: CommandText = {
  about: [
    '`list` shows each session with how its newest run stands, and what the session began with. `show` shows the messages of one session.',
    'With --human it shows them as people see them: what the agent asked, who answered what, what time did (reminders, escalations, expiries), and which message replies to which.',
    'Without --human it shows them as the model would get them: every tool call has exactly one result, directly behind the message that asked for it, in call order. The calls of a pause have theirs once they are decided.',
  ],
  examples: [
    ['holdpoint threads', 'which sessions are there?'],
    ['holdpoint threads show th_… --human', 'who said what?'],
  ],
}

export const CHECKPOINTS: CommandText = {
  about: [
    'A fork is a new session with the same past: what ran before the checkpoint is not run again, what came after it has not happened there, and the old session stays as it is. Budgets go on from where they stood. An approval that was given and not used yet is asked for again there.',
    'REASON says what the run did there, and STEPS counts the model answers up to there:',
    {
      terms: [
        ['step', 'it was about to ask the model'],
        ['pause', 'it waited for a person'],
        ['interrupted', 'a signal stopped it'],
        ['end', 'it was done'],
      ],
    },
  ],
  examples: [
    ['holdpoint checkpoints th_…', 'where can I go back to?'],
    ['holdpoint show cp_…', 'how did the run stand there?'],
    ['holdpoint -c cp_… --fork', 'go on from there, again'],
    ['holdpoint -c cp_… --fork "only on staging this time"', 'at a step: say something else'],
    ['holdpoint -c cp_… --fork --reject tc_1', 'at a pause: decide otherwise'],
  ],
}

export const AUDIT: CommandText = {
  about: [
    'Every hold, decision, refused decision, expiry, override and effect leaves a record, written together with what it records. Each record has a hash over its text and the hash before it: the hash of record N is the sha256 of the hash of record N-1, a line feed, and the text of record N; before the first stand 64 zeros. Records hold ids, digests and codes; what was said and returned is in the journal, to which `event_hash` binds them.',
    {
      terms: [
        [
          'audit',
          'the records, oldest first, in a terminal in words; with --json one JSON document on each line, with all digests: that is an export',
        ],
        ['audit verify', 'checks the log of the store, and that it and the journals tell the same'],
        ['audit verify FILE', 'checks an export, offline; `-` is stdin'],
        ['audit explain RUN', 'what released each effect of the run, and that nothing ran of what was refused'],
      ],
    },
    'A chain cannot show that its newest records were taken away, or that all of it was written anew, journals and all. So `verify` prints its head, SEQ:HASH. Keep it out of reach of those who can write the store, and check it later with --head. `verify` and `explain` exit with 0 if all is well, and with 1 if something was found, which they name.',
  ],
  examples: [
    ['holdpoint audit --run run_…', 'what happened in a run'],
    ['holdpoint audit --actor ana --since 2030-01-01', 'what ana did since'],
    ['holdpoint audit --json > audit.jsonl', 'export it'],
    ['holdpoint audit verify audit.jsonl', 'verify the export, anywhere'],
    ['holdpoint audit verify --head 42:9f2c…', 'is everything up to this head still there?'],
    ['holdpoint audit explain run_…', 'why did it do that?'],
  ],
}

export const REPORT: CommandText = {
  about: [
    'Counts the holds of a time, and how long people took to decide them, by person and by tool. It names approvals that ask for a second look: within 2 seconds of being shown, not shown to the end, or never shown to the approver.',
    'It replays rules over what people were asked: each is a standing approval that would have spared several approvals, with the calls that it covers although a person rejected them. It allows nothing by itself.',
    'AN HOUR is the number of decisions in an hour in which there were any, and BUSIEST the most in one. With --json it is one document.',
  ],
  examples: [
    ['holdpoint report', 'the last seven days'],
    ['holdpoint report --since 30d', 'the last thirty'],
    ['holdpoint report --since 2030-01-01 --until 2030-02-01 --json', 'January, for a program'],
  ],
}
