import type { Server, ServerContext } from '@modelcontextprotocol/server'
import type { Json } from '../../core/text/json.ts'
import { clientOf, identityOf } from './offer/client-of.ts'
import type { Offer, Reader, ResourceSource, Sdk } from './offer/offer.ts'

const MIME_TYPE = 'application/json'

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export function serveResources(sdk: Sdk, server: Server, offer: Offer): void {
  const { resources: sources } = offer
  const readerOf = (context: ServerContext): Reader => {
    const { actor, runId } = identityOf(clientOf(sdk, server, context), context, offer)
    return { actor, runId, signal: context.mcpReq.signal }
  }
  server.setRequestHandler('resources/list', async (_request, context) => ({
    resources: (await Promise.all(sources.map(source => listed(source, readerOf(context))))).flat(),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: sources.map(({ uri, one, title }) => ({
      uriTemplate: `${uri}/{id}`,
      name: one,
      title: `A ${one}`,
      description: `One of: ${title.toLowerCase()}.`,
      mimeType: MIME_TYPE,
    })),
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const found = await read(uri, sources, readerOf(context))
    if (found === null) throw unknownResource(sdk, uri, sources)
    return { contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(found, null, 2) }] }
  })
}

async function listed(source: ResourceSource, reader: Reader): Promise<Listed[]> {
  const { uri, title, description, one } = source
  const all: Listed = { uri, name: `${one}s`, title, description, mimeType: MIME_TYPE }
  const each = (await source.members(reader)).map(
    (member): Listed => ({
      uri: `${uri}/${encodeURIComponent(member.id)}`,
      name: member.id,
      title: member.title,
      mimeType: MIME_TYPE,
    }),
  )
  return [all, ...each]
}

interface Listed {
  uri: string
  name: string
  title: string
  description?: string
  mimeType: string
}

async function read(uri: string, sources: readonly ResourceSource[], reader: Reader): Promise<Json> {
  const source = sources.find(each => uri === each.uri || uri.startsWith(`${each.uri}/`))
  if (!source) return null
  if (uri === source.uri) return source.list(reader)
  const id = decoded(uri.slice(source.uri.length + 1))
  return id === null ? null : source.read(id, reader)
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The specification has one code for it. */
function unknownResource(sdk: Sdk, uri: string, sources: readonly ResourceSource[]): Error {
  const known = sources.flatMap(source => [source.uri, `${source.uri}/{id}`]).join(', ')
  return new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    `Resource not found: there is nothing at ${JSON.stringify(uri)} in this store. What can be read: ${known}.`,
    { uri },
  )
}
