import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { get } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { Button } from '../parts/button.tsx'
import { CONTROL } from '../parts/field.tsx'
import { Room } from '../parts/room.tsx'
import { Empty, Loading, Trouble } from '../parts/states.tsx'
import { clockTime, localTime } from '../parts/time.tsx'
import { Visible } from '../text/visible.tsx'
import { placeOfId } from './place-of-id.ts'

/** Search by words in messages, questions, answers and results; or the thing with an id. */
export function SearchPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const words = search.get('words') ?? ''
  const [typed, setTyped] = useState(words)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const place = placeOfId(typed.trim())
    if (place !== null) navigate(place)
    else setSearch(typed.trim() === '' ? {} : { words: typed.trim() })
  }
  return (
    <Room
      title="Search"
      about="In what was said, asked, answered and returned. The id of a hold, run, task or conversation opens it."
    >
      <search>
        <form onSubmit={submit} className="flex gap-2">
          <input
            type="search"
            aria-label="Words, or an id"
            // biome-ignore lint/a11y/noAutofocus: the room is for this field alone
            autoFocus
            maxLength={200}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            className={CONTROL}
          />
          <Button look="primary" type="submit">
            Search
          </Button>
        </form>
      </search>
      {words !== '' && <Results key={words} words={words} />}
    </Room>
  )
}

type Found = Documents['Found']['found'][number]

function Results({ words }: { readonly words: string }): ReactElement {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['search', words],
    queryFn: ({ pageParam: after, signal }) => get<Documents['Found']>('/v1/search', { words, after }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  if (error) return <Trouble error={error} again={() => void refetch()} />
  if (!data) return <Loading />
  const found = data.pages.flatMap(page => page.found)
  return (
    <div className="mt-6">
      {found.length === 0 && (
        <Empty title="Nothing found">{hasNextPage ? 'So far. There is more to search.' : 'Nobody said that.'}</Empty>
      )}
      <ol className="border-line border-t empty:hidden">
        {found.map(each => (
          <Hit key={`${each.thread_id} ${each.seq}`} hit={each} />
        ))}
      </ol>
      {hasNextPage && (
        <Button className="mt-4 w-full" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Search further back
        </Button>
      )}
    </div>
  )
}

const SAID: Readonly<Partial<Record<Found['kind'], string>>> = {
  'message.received': 'A message',
  'message.queued': 'A message',
  'model.answered': 'The agent said or called',
  'call.finished': 'A result',
  'hold.decided': 'A decision',
  'hold.voted': 'An approval',
  'hold.unclear': 'An answer that was not clear',
}

function Hit({ hit: { thread_id, kind, at, path, before, found, after } }: { readonly hit: Found }): ReactElement {
  return (
    <li className="border-line border-b">
      <Link href={`/threads/${thread_id}`} className="block py-3 hover:bg-hover">
        <span className="flex flex-wrap gap-x-2 text-muted text-xs">
          <span>{path.map(({ agent }) => agent).join(' › ')}</span>
          <span aria-hidden="true">·</span>
          <span>{SAID[kind] ?? 'A remark'}</span>
          <time dateTime={at} title={localTime(at)} className="ml-auto">
            {clockTime(at)}
          </time>
        </span>
        <span className="mt-0.5 block text-sm [overflow-wrap:anywhere]" dir="auto">
          <Visible text={before} />
          <mark className="rounded-xs bg-warn-soft text-warn">
            <Visible text={found} />
          </mark>
          <Visible text={after} />
        </span>
      </Link>
    </li>
  )
}
