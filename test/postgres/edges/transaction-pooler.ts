import { connect, createServer, type Socket } from 'node:net'

/** A pooler in transaction mode, as simple as one can be: between transactions a client has no connection. */
export interface TransactionPooler extends AsyncDisposable {
  /** Of the database, by way of the pooler. */
  readonly url: string
}

interface Frame {
  readonly type: string
  readonly bytes: Buffer
}

/** Cuts a stream into messages of PostgreSQL's protocol. */
function frames(onFrame: (frame: Frame) => void): (data: Buffer) => void {
  let rest = Buffer.alloc(0)
  return data => {
    rest = Buffer.concat([rest, data])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1
      const bytes = rest.subarray(0, end)
      rest = rest.subarray(end)
      onFrame({ type: String.fromCharCode(bytes[0] as number), bytes })
    }
  }
}

const AUTHENTICATION_OK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
const CLEARTEXT = 3

function startup(user: string, database: string): Buffer {
  const body = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, body])
}

function password(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.from([0x70, 0, 0, 0, 0])
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

class Backend {
  readonly socket: Socket
  onFrame: (frame: Frame) => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on(
      'data',
      frames(frame => this.onFrame(frame)),
    )
  }

  static async open(target: URL): Promise<Backend> {
    const backend = new Backend(connect(Number(target.port), target.hostname))
    backend.socket.write(startup(target.username, target.pathname.slice(1)))
    await new Promise<void>(ready => {
      backend.onFrame = ({ type, bytes }) => {
        if (type === 'R' && bytes.readInt32BE(5) === CLEARTEXT) backend.socket.write(password(target.password))
        if (type === 'Z') ready()
      }
    })
    return backend
  }
}

/** Whoever waits gets the connection that was free longest, so that a client meets all of them. */
class Backends {
  readonly #free: Backend[]
  readonly #waiting: ((backend: Backend) => void)[] = []

  constructor(free: readonly Backend[]) {
    this.#free = [...free]
  }

  take(): Promise<Backend> {
    const free = this.#free.shift()
    return free ? Promise.resolve(free) : new Promise(taken => this.#waiting.push(taken))
  }

  give(backend: Backend): void {
    backend.onFrame = () => {}
    const next = this.#waiting.shift()
    if (next) next(backend)
    else this.#free.push(backend)
  }
}

function serve(client: Socket, backends: Backends): void {
  let backend: Promise<Backend> | null = null
  let unanswered = 0
  const give = (taken: Backend) => {
    backend = null
    backends.give(taken)
  }
  const take = async () => {
    const taken = await backends.take()
    taken.onFrame = ({ type, bytes }) => {
      client.write(bytes)
      if (type === 'Z') unanswered -= 1
      if (type === 'Z' && unanswered === 0 && bytes.at(-1) === READY.at(-1)) give(taken)
    }
    return taken
  }
  const onFrame = ({ type, bytes }: Frame) => {
    if (type === 'X') {
      client.end()
      return
    }
    if (type === 'Q' || type === 'S') unanswered += 1
    backend ??= take()
    void backend.then(taken => taken.socket.write(bytes))
  }
  let isStarted = false
  const read = frames(onFrame)
  client
    .on('error', () => {})
    .on('data', data => {
      if (isStarted) return read(data)
      isStarted = true
      client.write(Buffer.concat([AUTHENTICATION_OK, READY]))
    })
}

export async function openTransactionPooler(database: string): Promise<TransactionPooler> {
  const target = new URL(database)
  const all = await Promise.all([Backend.open(target), Backend.open(target)])
  const backends = new Backends(all)
  const server = createServer(client => serve(client, backends))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const url = new URL(database)
  url.port = String(address && typeof address === 'object' ? address.port : 0)
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of all) socket.destroy()
      await new Promise(done => {
        server.close(done)
      })
    },
  }
}
