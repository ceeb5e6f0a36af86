import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { canonicalJson, type Json, type JsonObject } from '../../core/text/json.ts'

/** The age, in milliseconds, up to which a list counts if its server does not report changes. */
const FRESH_MS = 300
/** From the news of a change to the next request, in milliseconds. */
const SETTLE_MS = 20
const MOST_ROUNDS = 3

/** A tool as its server declares it. */
export interface ListedTool {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  readonly inputSchema: JsonObject
  readonly annotations: JsonObject | null
}

/** The tools of one running server, as of its last answer. It may be asked again at any time, but never without end. */
export class ToolList {
  readonly #client: Client
  readonly #onRead: (tools: readonly ListedTool[]) => void
  #tools: readonly ListedTool[] = []
  #listedAt = 0
  #renewing: Promise<void> | null = null
  /** True if the server's list is not what it was. */
  #hasNews = true
  /** True while a caller is about to ask for the list again. */
  #isHeeding = false

  /** `onRead` gets each answer of the server. */
  constructor(client: Client, onRead: (tools: readonly ListedTool[]) => void) {
    this.#client = client
    this.#onRead = onRead
  }

  get tools(): readonly ListedTool[] {
    return this.#tools
  }

  /** True if the server still declares the tool exactly as it was. */
  has(tool: ListedTool): boolean {
    return this.#tools.some(now => isSame(now, tool))
  }

  /**
   * Asks again if the list may have changed, even while it was read. If a server always reports changes, its last list
   * counts.
   */
  async renew(): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS && this.#isOld; round += 1) {
      this.#renewing ??= this.#read().finally(() => {
        this.#renewing = null
      })
      await this.#renewing
    }
  }

  /** Called when the server reported a change. */
  async heedChange(): Promise<void> {
    this.#hasNews = true
    // A server that reports a change after each request must not be asked without end.
    if (this.#isHeeding) return
    this.#isHeeding = true
    await delay(SETTLE_MS, undefined, { ref: false })
    this.#isHeeding = false
    await this.renew().catch(() => {})
  }

  /** A server that does not report changes is asked again after a while. */
  get #isOld(): boolean {
    const tells = this.#client.getServerCapabilities()?.tools?.listChanged === true
    return this.#hasNews || (!tells && performance.now() - this.#listedAt > FRESH_MS)
  }

  async #read(): Promise<void> {
    this.#hasNews = false
    try {
      this.#tools = await listOf(this.#client)
      this.#listedAt = performance.now()
    } catch (thrown) {
      this.#hasNews = true
      throw thrown
    }
    this.#onRead(this.#tools)
  }
}

async function listOf(client: Client): Promise<ListedTool[]> {
  // The client prints to stdout if a server that declares no tools is asked for them.
  if (!client.getServerCapabilities()?.tools) return []
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
  return tools.map(({ name, title, description, inputSchema, annotations }) => ({
    name,
    title: title ?? annotations?.title ?? null,
    description: description ?? null,
    inputSchema: inputSchema as JsonObject,
    annotations: (annotations as JsonObject | undefined) ?? null,
  }))
}

function isSame(one: ListedTool, other: ListedTool): boolean {
  return canonicalJson({ ...one } as Json) === canonicalJson({ ...other } as Json)
}
