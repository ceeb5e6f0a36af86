import type { Tool } from '../../ports/agent/tool.ts'
import { codeDigest } from '../../tools/define/code-digest.ts'
import type { AgentDefinition } from './define-agent.ts'

/** P9: a function beside a tool is part of what the tool does, so approvals bind the text of their module too. */
export function bindToModule(agent: AgentDefinition, text: string): AgentDefinition {
  return { ...agent, tools: agent.tools?.map(tool => (typeof tool === 'string' ? tool : bound(tool, text))) ?? null }
}

function bound(tool: Tool, text: string): Tool {
  // The copy of an object of a class would lose its methods: such a tool tells its code itself.
  if (tool.version !== undefined || !Object.hasOwn(tool, 'execute')) return tool
  const { code = () => '' } = tool
  return { ...tool, code: codeDigest(code, () => text) }
}
