import type { Pinned, Profile } from '../../core/run/profile.ts'
import { canonicalJson, type JsonObject } from '../../core/text/json.ts'
import type { LoadedAgent } from '../../ports/agent/agent-source.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'

/** P9: fingerprints of a run's definitions at its start, so that later changes can be recognized. */
export function pinDefinitions(ids: Ids, profile: Profile, { tools }: Pick<LoadedAgent, 'tools'>): Pinned {
  const { instructions, model, model_settings, policy } = profile
  const digest = (value: unknown) => ids.digest(canonicalJson(value as JsonObject))
  return {
    agent: digest({ instructions, model, ...(model_settings && { model_settings }) }),
    policy: digest(policy),
    tools: Object.fromEntries([...tools].map(([name, tool]) => [name, digest(declared(tool))])),
  }
}

/** A tool's declaration. Its code cannot be pinned. */
function declared({ name, description, inputSchema, idempotent, destructive, resumeMode }: Tool): JsonObject {
  return { name, description, schema: inputSchema, idempotent, destructive, resume_mode: resumeMode ?? null }
}
