/** Distinguishes tools that a definition made from objects that only look like one. Untyped code can give any value. */
import type { Tool } from '../../ports/agent/tool.ts'

const METHODS = ['validate', 'needsApproval', 'execute'] as const satisfies readonly (keyof Tool)[]

export const OF_AI_SDK = "A tool of the AI SDK has no name: write `{ refund: tool }` or `toTool('refund', tool)`."

export function isTool(value: unknown): value is Tool {
  if (!isObject(value) || typeof value['name'] !== 'string') return false
  return METHODS.every(method => typeof value[method] === 'function')
}

/** Why this value cannot be in a list of tools, and what to write; `null` if it can. */
export function faultOfListed(value: unknown): { readonly problem: string; readonly hint: string } | null {
  if (typeof value === 'string' || isTool(value)) return null
  const hint = `Make it with defineTool. ${OF_AI_SDK}`
  if (!isObject(value)) return { problem: `${value === null ? 'null' : `a ${typeof value}`} is no tool`, hint }
  const { name } = value
  if (typeof name !== 'string')
    return { problem: 'an object in its list of tools has no name', hint: `${OF_AI_SDK} Or make it with defineTool.` }
  return { problem: `its tool ${JSON.stringify(name)} is an object that defineTool did not make`, hint }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
