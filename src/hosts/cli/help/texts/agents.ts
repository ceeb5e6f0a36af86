/** The help of agents in the background. */
import type { CommandText } from '../../../command/command-text.ts'

export const AGENTS: CommandText = {
  about: [
    'An agent in the background is a task in which an agent runs. It outlives the terminal that spawned it, and it asks as any run does: its calls wait as holds, in `holdpoint holds`, on the page, in chats and mails. AGENT is its name, its id, or the beginning of its id.',
    'Without --interactive its process ends when its run rests, and a message or a decision starts the next one. With --interactive it stays for the next message, until --idle-timeout is over. Both can also be said in the front matter of the agent (interactive, idle_timeout, on_idle) or in the configuration.',
    'Its status is read from rows at each look: queued, spawning, running, waiting (a person is needed), idle, parked (no process; a message goes on with it), killing, killed, done, failed, crashed (`resume` goes on with it), unreachable (its host is gone).',
    'With --worktree it works in .holdpoint-worktrees/NAME, on the branch holdpoint/NAME. Nothing deletes work there that is not committed or not merged, but `rm --discard`.',
    '`respawn` starts one that is over anew, `fork` begins another one from where it stands. `rm` takes one that is over off the list; its session stays.',
  ],
  examples: [
    ['holdpoint agents spawn --worktree --name docs "Bring the docs up to date"', 'and go on with your day'],
    ['holdpoint agents', 'how do they stand? Those that need a person come first'],
    ['holdpoint agents logs docs --follow', 'the conversation, as it goes on'],
    ['holdpoint agents wait docs', 'be told once it needs somebody (exit 10) or is idle'],
    ['holdpoint agents send docs "good, now the README" --wait', 'say something, and get the answer'],
    ['holdpoint agents attach docs', 'the screen of the chat, at that agent'],
    ['holdpoint agents end docs', 'end one that waits for a message'],
    ['holdpoint agents kill docs --reason "no longer needed"', 'stop whatever it does, for good'],
    ['holdpoint agents rm docs', 'off the list, with its worktree'],
  ],
}
