/** `.holdpoint/server.json`: the address of the server of a project, for commands of the same user. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isJsonObject, type Json } from '../../core/text/json.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { projectDirectory } from '../project/project.ts'

export interface NotedServer {
  readonly url: string
  /** The location of the store. */
  readonly store: string
  /** Digest of the token of the owner; `null` if the server does not accept that token. */
  readonly owner_digest: string | null
  /** The process, by the name that no other process ever has. */
  readonly process: string
}

interface NewNote {
  readonly directory: string
  readonly url: string
  readonly store: string
  readonly ownerDigest: string | null
}

const FILE = 'server.json'
const OWNER_ONLY = 0o600

/** The newest of several servers of a project is noted. The note is removed with its server. */
export function noteServer({ directory, url, store, ownerDigest }: NewNote): Disposable {
  const path = join(projectDirectory(directory), FILE)
  const name = processLiveness().nameOf(process.pid)
  if (name === null || !existsSync(projectDirectory(directory))) return { [Symbol.dispose]: () => {} }
  const note: NotedServer = { url, store: placeOf(store, directory), owner_digest: ownerDigest, process: name }
  tolerant(() => {
    rmSync(path, { force: true })
    writeFileSync(path, `${JSON.stringify(note)}\n`, { flag: 'wx', mode: OWNER_ONLY })
  })
  return {
    [Symbol.dispose]: () => tolerant(() => readNote(path)?.process === name && rmSync(path)),
  }
}

/** The server that runs for this project and store; `null` if none does. */
export function notedServer(directory: string, store: string): NotedServer | null {
  const note = readNote(join(projectDirectory(directory), FILE))
  // Another process may have got the port since, so that process must still be there.
  return note?.store === placeOf(store, directory) && processLiveness().find(note.process) !== null ? note : null
}

/** One text for all spellings of a path. */
function placeOf(store: string, directory: string): string {
  const { file, display } = new StoreLocation(store)
  return file === null ? display : resolve(directory, file)
}

function readNote(path: string): NotedServer | null {
  try {
    const note = JSON.parse(readFileSync(path, 'utf8')) as Json
    const isNote = isJsonObject(note) && ['url', 'store', 'process'].every(key => typeof note[key] === 'string')
    return isNote ? (note as Json as unknown as NotedServer) : null
  } catch {
    return null
  }
}

/** A server serves also if its project cannot be written. */
function tolerant(work: () => unknown): void {
  try {
    work()
  } catch {
    // Then `holdpoint inbox` does not find this server, and starts one of its own.
  }
}
