import type { SlashCommand } from '../slash/deck.ts'
import type { AttachedConversation } from './attached-conversation.ts'

/** Slash commands that only an attached chat has. */
export function attachedCommands(attached: () => AttachedConversation): readonly SlashCommand[] {
  return [
    { name: 'detach', usage: '', does: 'leave; the agent goes on', run: async deck => deck.leave(null) },
    { name: 'end', usage: '', does: 'end the agent once its turn is over, and leave', run: () => attached().end() },
    { name: 'writer', usage: '', does: 'take over the right to send messages', run: () => attached().takeWriter() },
    { name: 'resume', usage: '', does: 'go on with an agent that crashed', run: () => attached().resume() },
  ]
}
