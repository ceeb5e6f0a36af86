/** The network of one boxed call: what rules and people permit, and a question about what they do not. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bracketed } from '../../core/effect/host-name.ts'
import { type HostRule, reachOf, readHostRule } from '../../core/effect/host-rules.ts'
import { isJsonObject, type Json } from '../../core/text/json.ts'
import type { ToolContext } from '../../ports/agent/tool.ts'
import { runSpace } from './machine/call-place.ts'
import { openProxy } from './network/open-proxy.ts'

export interface BoxNetwork extends AsyncDisposable {
  readonly directory: string
  readonly permitsHosts: boolean
  /** @throws by suspending the call, if a host was refused that no rule names */
  askAboutRefused(printed: string): void
}

/** Characters of what a command printed that wanted to connect. */
const MOST_SHOWN = 2_000

/** The key under which a hold names the hosts that it is about, and one that names those that were permitted before. */
const ASKED = 'connect_to'
const PERMITTED = 'connected_to'

export async function boxNetwork(context: ToolContext, hosts: readonly string[]): Promise<BoxNetwork> {
  const permitted = permittedHosts(context)
  const rules = [...hosts, ...permitted].map(readHostRule).filter(isRule)
  const directory = mkdtempSync(join(runSpace(context.runId).sockets, 'n'))
  const proxy = await openProxy({ directory, mayReach: (host, port) => REACH[reachOf(rules, host, port)] })
  return {
    directory,
    permitsHosts: rules.some(({ permits }) => permits),
    askAboutRefused: printed => {
      const refused = proxy.refused
        .filter(({ quietly }) => !quietly)
        .map(({ host, port }) => `${bracketed(host)}:${port}`)
      if (refused.length > 0) askAbout(context, { printed, refused, permitted })
    },
    [Symbol.asyncDispose]: async () => {
      await proxy.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const REACH = { permitted: true, refused: 'refuse_quietly', unknown: false } as const

function isRule(rule: ReturnType<typeof readHostRule>): rule is HostRule {
  return !('problem' in rule)
}

interface Asked {
  /** By the command. */
  readonly printed: string
  readonly refused: readonly string[]
  readonly permitted: readonly string[]
}

/** Nothing of what the command did is kept: it runs again once it may connect. */
function askAbout(context: ToolContext, { printed, refused, permitted }: Asked): never {
  const asked = { [ASKED]: refused, ...(permitted.length > 0 && { [PERMITTED]: permitted }) }
  return context.suspend({
    kind: 'approval',
    message: `Connect to ${refused.join(', ')} for this command? It was refused the connection, and nothing of what it did was kept.`,
    context: asked,
    preview: [{ type: 'text', title: 'It printed', text: printed.slice(-MOST_SHOWN).trim() || 'Nothing.' }],
  })
}

/** Hosts that a person permitted for this call. */
function permittedHosts({ suspended }: ToolContext): readonly string[] {
  if (suspended?.decision.verdict !== 'approve') return []
  return [...hostsIn(suspended.context, PERMITTED), ...hostsIn(suspended.context, ASKED)]
}

function hostsIn(context: Json, key: string): readonly string[] {
  const hosts = isJsonObject(context) ? context[key] : undefined
  return Array.isArray(hosts) ? hosts.filter(host => typeof host === 'string') : []
}

/** The context of a hold about an effect: what the command could connect to. */
export function reachedContext(context: ToolContext): Json {
  const hosts = permittedHosts(context)
  return hosts.length > 0 ? { [PERMITTED]: hosts } : null
}

/** True if a person approved the effect itself, and not only that the command connects. */
export function isEffectApproved({ suspended }: ToolContext): boolean {
  return suspended?.decision.verdict === 'approve' && hostsIn(suspended.context, ASKED).length === 0
}
