import { type AgentDefinition, defineAgent } from './define-agent.ts'

/** The agent of a run that names none: the built-in tools, and no opinions. */
export function defaultAgent(): AgentDefinition {
  return defineAgent({
    name: 'default',
    instructions:
      'You are an agent that works in a directory on behalf of a person, with the tools you are given. ' +
      'Some calls wait for a person to approve them; a result that begins with TOOL_CALL_REJECTED was refused by a ' +
      'person: do not try the same again, find another way or say what you need. When you are done, say in a few ' +
      'words what you did.',
  })
}
