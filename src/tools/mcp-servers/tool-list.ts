import { setTimeout as delay } from 'node:timers/promises'
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'

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

/** A tool of which the declaration is of no use. */
export interface UnusableTool {
  readonly name: string
  readonly fault: string
}

export interface Listed {
  readonly tools: readonly ListedTool[]
  readonly unusable: readonly UnusableTool[]
}

/** The tools of one running server, as of its last answer. It may be asked again at any time, but never without end. */
export class ToolList {
  readonly #client: Client
  readonly #onRead: (tools: readonly ListedTool[]) => void
  #listed: Listed = { tools: [], unusable: [] }
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

  get listed(): Listed {
    return this.#listed
  }

  /** True if the server still declares the tool exactly as it was. */
  has(tool: ListedTool): boolean {
    return this.#listed.tools.some(now => isSame(now, tool))
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
      this.#listed = await listOf(this.#client)
      this.#listedAt = performance.now()
    } catch (thrown) {
      this.#hasNews = true
      throw thrown
    }
    this.#onRead(this.#listed.tools)
  }
}

/** As many as the client of the SDK reads. */
const MOST_PAGES = 64

async function listOf(client: Client): Promise<Listed> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], unusable: [] }
  const declared: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, PAGE)
    declared.push(...tools)
    cursor = nextCursor
    if (cursor === undefined) break
  }
  const read = declared.map(readTool)
  return { tools: read.filter(isUsable), unusable: read.filter(isUnusable) }
}

interface Page {
  readonly tools: readonly unknown[]
  readonly nextCursor?: string
}

/** The SDK would refuse the whole list for one wrong tool. */
const PAGE: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'holdpoint',
    validate: value => {
      const { tools, nextCursor } = isJsonObject(value as Json) ? (value as JsonObject) : {}
      if (!Array.isArray(tools)) return { issues: [{ message: 'its list of tools is no list' }] }
      return { value: { tools, ...(typeof nextCursor === 'string' && { nextCursor }) } }
    },
  },
}

function readTool(declared: unknown): ListedTool | UnusableTool {
  const tool = isJsonObject(declared as Json) ? (declared as JsonObject) : {}
  const { name, inputSchema = null, annotations = null } = tool
  if (typeof name !== 'string' || name === '') return { name: '', fault: 'it has no name' }
  if (!isJsonObject(inputSchema)) return { name, fault: 'its inputSchema is no object' }
  const hints = isJsonObject(annotations) ? annotations : null
  return {
    name,
    title: textOf(tool['title']) ?? textOf(hints?.['title']),
    description: textOf(tool['description']),
    inputSchema,
    annotations: hints,
  }
}

function isUsable(tool: ListedTool | UnusableTool): tool is ListedTool {
  return !isUnusable(tool)
}

function isUnusable(tool: ListedTool | UnusableTool): tool is UnusableTool {
  return 'fault' in tool
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function isSame(one: ListedTool, other: ListedTool): boolean {
  return canonicalJson({ ...one } as Json) === canonicalJson({ ...other } as Json)
}
