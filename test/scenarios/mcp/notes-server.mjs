/**
 * An MCP server by the official SDK: over stdio, or with `--http` on a free port of the loopback, which it prints. What it
 * offers is in `offer.json` of its directory, read again whenever it is asked, so that a test can change it.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import {
  createMcpHandler,
  inputRequired,
  Server,
  UrlElicitationRequiredError,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const ANY = { type: 'object' }
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const USUAL = { listChanged: false, tools: [{ name: 'write', description: 'Writes a note.', inputSchema: TEXT }] }

const offer = () => (existsSync('offer.json') ? JSON.parse(readFileSync('offer.json', 'utf8')) : USUAL)
const effect = word => appendFileSync('effects.log', `${word}\n`)
const text = said => ({ content: [{ type: 'text', text: said }] })

/** What each tool does, by name. */
const TOOLS = {
  write: ({ text: note }) => {
    effect(note)
    return text(`wrote ${note}`)
  },
  die: () => {
    effect('died')
    process.stderr.write(`no connection with ${process.env.TOKEN}\n`)
    process.exit(3)
  },
  hang: (_, { mcpReq }) =>
    new Promise(() => {
      effect('hangs')
      mcpReq.signal.addEventListener('abort', () => effect('cancelled'))
    }),
  huge: () => text('x'.repeat(1_000_000)),
  endless: () => text('x'.repeat(20_000_000)),
  fail: () => ({ ...text(`refused for ${process.env.TOKEN}`), isError: true }),
  see: () => ({
    content: [
      { type: 'text', text: 'a cat' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ],
  }),
  count: () => ({ ...text('3'), structuredContent: { notes: 3 } }),
  place: () =>
    text(JSON.stringify({ cwd: process.cwd(), env: Object.keys(process.env), within: process.env.HOLDPOINT_WITHIN })),
  ask: async (_, { mcpReq }) => {
    const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }
    return text(
      await mcpReq
        .send({ method: 'elicitation/create', params })
        .then(JSON.stringify, ({ message }) => `declined: ${message}`),
    )
  },
  visit: async ({ url }, { mcpReq }) => {
    const params = { mode: 'url', message: 'Sign in.', url, elicitationId: '1' }
    return text(JSON.stringify(await mcpReq.send({ method: 'elicitation/create', params })))
  },
  paid: ({ urls, needs = 1 }) => {
    effect('asked')
    const asked = readFileSync('effects.log', 'utf8').split('\n').filter(Boolean).length
    if (asked > needs) return text('welcome')
    const pages = urls.map((url, n) => ({ mode: 'url', message: `Sign in, ${n + 1}.`, url, elicitationId: `${n}` }))
    throw new UrlElicitationRequiredError(pages)
  },
  book: ({ text: what }, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.seat
    if (answer) {
      effect(what)
      return text(JSON.stringify({ answer, state: mcpReq.requestState?.() ?? null }))
    }
    const requestedSchema = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] }
    return inputRequired({
      inputRequests: { seat: inputRequired.elicit({ message: 'Which seat?', requestedSchema }) },
      requestState: 'kept',
    })
  },
  step: async (_, { mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {}
    // The reports and the result leave in one piece.
    process.stdout.cork()
    setTimeout(() => process.stdout.uncork(), 10)
    for (const progress of [1, 2])
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 2, message: 'half' },
      })
    return text('there')
  },
  change: async ({ offer: next }, { mcpReq }) => {
    writeFileSync('offer.json', JSON.stringify(next))
    await mcpReq.notify({ method: 'notifications/tools/list_changed' })
    return text('changed')
  },
}

function notes() {
  const { listChanged = false } = offer()
  const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: { listChanged } } })
  server.setRequestHandler('tools/list', () => ({ tools: offer().tools.map(tool => ({ inputSchema: ANY, ...tool })) }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    TOOLS[params.name.replaceAll('.', '_')](params.arguments ?? {}, context),
  )
  return server
}

appendFileSync('starts.log', `${process.pid}\n`)
if (process.argv.includes('--http')) await serve()
else await notes().connect(new StdioServerTransport())

const both = createMcpHandler(notes)

/** The answer of a server that speaks both revisions, or fails at methods that it does not know; else `null`. */
async function special(request) {
  const { method } = request.method === 'POST' ? JSON.parse(await request.clone().text()) : {}
  appendFileSync('asked.log', `${method}\n`)
  if (process.argv.includes('--both')) return both.fetch(request)
  const fails = process.argv.includes('--fails-unknown') && method === 'server/discover'
  return fails ? new Response('<html>oops</html>', { status: 500 }) : null
}

/** Whoever does not bring the token is turned away. */
async function serve() {
  const { serve: listen } = await import('@hono/node-server')
  const sessions = new Map()
  const modern = createMcpHandler(notes, { legacy: 'reject' })
  const fetch = async request => {
    if (request.headers.get('authorization') !== `Bearer ${process.env.TOKEN}`)
      return new Response('who?', { status: 401 })
    const known = sessions.get(request.headers.get('mcp-session-id'))
    if (process.argv.includes('--modern')) return modern.fetch(request)
    const answer = await special(request)
    if (answer) return answer
    if (known) return known.handleRequest(request)
    if (request.headers.has('mcp-session-id')) return new Response('gone', { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: id => void sessions.set(id, transport),
    })
    await notes().connect(transport)
    return transport.handleRequest(request)
  }
  listen({ fetch, port: Number(process.env.PORT ?? 0), hostname: '127.0.0.1' }, ({ port }) =>
    process.stdout.write(`${port}\n`),
  )
}
