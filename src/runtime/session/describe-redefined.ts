import { canonicalJson } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { declaredSchema } from '../definitions/bound-schema.ts'

type Tools = ReadonlyMap<string, Tool>

/** The tools that changed, in a sentence; `null` if none did. */
export function describeRedefined(before: Tools, now: Tools): string | null {
  const parts = [
    { names: [...now.keys()].filter(name => differs(before.get(name), now.get(name))), what: 'changed' },
    { names: [...now.keys()].filter(name => !before.has(name)), what: 'came' },
    { names: [...before.keys()].filter(name => !now.has(name)), what: 'went' },
  ].filter(({ names }) => names.length > 0)
  if (parts.length === 0) return null
  return `The tools are not what they were: ${parts.map(({ names, what }) => `${names.join(', ')} ${what}`).join('; ')}.`
}

function differs(before: Tool | undefined, now: Tool | undefined): boolean {
  return before !== undefined && now !== undefined && fingerprint(before) !== fingerprint(now)
}

function fingerprint(tool: Tool): string {
  return canonicalJson({ schema: declaredSchema(tool), description: tool.description })
}
