/** Shows notifications, of the page and of pushes, and leads to their cards. It caches nothing, and answers no request. */

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))

self.addEventListener('push', event => event.waitUntil(show(event.data)))
self.addEventListener('message', event => {
  if (event.data === 'close decided') event.waitUntil(closeDecided())
})

/** The tag of a notification about several holds, or about none that is named. Any other tag is a hold. */
const ALL = 'all'

self.addEventListener('notificationclick', event => {
  const { tag } = event.notification
  event.notification.close()
  event.waitUntil(open(tag === ALL ? '/' : `/holds/${encodeURIComponent(tag)}`))
})

/** A browser may end the subscription of a push that shows nothing, so it is shown also above an open page: quietly. */
async function show(data) {
  const { hold_id, title, body } = read(data)
  await closeDecided()
  const windows = await self.clients.matchAll({ type: 'window' })
  const silent = windows.some(({ focused }) => focused)
  await self.registration.showNotification(title, { body, silent, tag: hold_id ?? ALL, icon: '/icon-192.png' })
}

function read(data) {
  try {
    return data.json()
  } catch {
    return { hold_id: null, title: 'Something waits for you', body: '' }
  }
}

const PATIENCE_MS = 2_000

/** Takes back what was decided elsewhere. Nothing is taken back by a guess: not signed out, and not of more than a page. */
async function closeDecided() {
  try {
    const shown = (await self.registration.getNotifications()).filter(({ tag }) => tag !== ALL)
    if (shown.length === 0) return
    const answer = await fetch('/v1/inbox?mine=true&limit=500', { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (!answer.ok) return
    const { holds, next } = await answer.json()
    const open = new Set(holds.map(({ id }) => id))
    for (const each of next === null ? shown : []) if (!open.has(each.tag)) each.close()
  } catch {
    // The server is out of reach: they go another time.
  }
}

/** A window that is open goes there by itself, and keeps what was typed in it. */
async function open(path) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown = windows.find(({ visibilityState }) => visibilityState === 'visible') ?? windows[0]
  if (!shown) return self.clients.openWindow(path)
  shown.postMessage({ open: path })
  // Some browsers refuse the focus; the window has the card all the same.
  await shown.focus().catch(() => {})
}
