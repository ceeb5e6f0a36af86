import { connect, createServer, type Socket } from 'node:net'

/**
 * `before`: the database does not get the message. `after`: it does, and its answer is lost. `silent`: it does not, and the
 * connection stays open.
 */
export type Cut = 'before' | 'after' | 'silent'

export interface CuttingProxy extends AsyncDisposable {
  /** Of the database, by way of the proxy. */
  readonly url: string
  /** Cuts the connection at the message of this number, counted from 0 from now on. `append`: only those are counted. */
  arm(message: number, cut: Cut, counted?: 'append'): void
  /** False if it was not reached yet; from then on nothing is cut. */
  disarm(): boolean
  /** From now on no notice comes through, as behind a pooler that shares connections. */
  dropNotices(): void
  /** Cuts all connections that there are. */
  cutAll(): void
  /** From now on, or no longer, nothing passes in either direction, and no connection ends: the network is gone. */
  part(isParted: boolean): void
  /** From now on new connections go to another database. */
  retarget(database: string): void
  /** From now on each commit reaches the database only after so many ms, so that later transactions are visible before it. */
  delayCommits(ms: number): void
}

function later(ms: number, act: () => void): void {
  if (ms > 0) setTimeout(act, ms)
  else act()
}

/** An append in one statement, as it is prepared: its name, and how it begins. */
const PREPARED_APPEND = /(holdpoint_[0-9a-f]{32})\0\s+WITH held/g

/** Tells which chunks are an append that is a transaction of its own. */
function appendsIn(): (data: Buffer) => boolean {
  const names = new Set<string>()
  return data => {
    const text = data.toString('latin1')
    for (const [, name = ''] of text.matchAll(PREPARED_APPEND)) names.add(name)
    return [...names].some(name => text.includes(name))
  }
}

/** `NotificationResponse`, the first byte of the message. */
const NOTICE = 'A'.charCodeAt(0)

/** Between a client and the database: each chunk that a client sends is one message. */
export async function openCuttingProxy(database: string): Promise<CuttingProxy> {
  let target = new URL(database)
  const sockets = new Set<Socket>()
  let armed: { left: number; readonly cut: Cut; readonly counted: 'append' | undefined } | null = null
  let hasCut = false
  let dropsNotices = false
  let commitDelay = 0
  let isParted = false
  const isAppend = appendsIn()
  const commits = (data: Buffer) => isAppend(data) || data.includes('COMMIT')

  function reached(data: Buffer): Cut | null {
    const counts = isAppend(data) || armed?.counted === undefined
    if (armed === null || !counts || armed.left-- > 0) return null
    const { cut } = armed
    armed = null
    hasCut = true
    return cut
  }

  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname)
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    let cut: Cut | null = null
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end).on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    upstream.on('data', data => {
      if (cut === 'after') return end()
      // A notice comes to a connection that is idle, so it is a chunk of its own.
      if (!dropsNotices || data[0] !== NOTICE) client.write(data)
    })
    if (isParted) for (const socket of [client, upstream]) socket.pause()
    client.on('data', data => {
      cut ??= reached(data)
      if (cut === 'before') end()
      else if (cut !== 'silent') later(commits(data) ? commitDelay : 0, () => upstream.write(data))
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const url = new URL(database)
  url.port = String(address && typeof address === 'object' ? address.port : 0)
  return {
    url: url.href,
    arm: (message, cut, counted) => {
      hasCut = false
      armed = { left: message, cut, counted }
    },
    disarm: () => {
      armed = null
      return hasCut
    },
    dropNotices: () => {
      dropsNotices = true
    },
    cutAll: () => {
      for (const socket of sockets) socket.destroy()
    },
    part: next => {
      isParted = next
      for (const socket of sockets) {
        if (isParted) socket.pause()
        else socket.resume()
      }
    },
    retarget: next => {
      target = new URL(next)
    },
    delayCommits: ms => {
      commitDelay = ms
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(done => server.close(done))
    },
  }
}
