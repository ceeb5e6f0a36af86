/** Shows the notifications of the page and leads to their cards. It caches nothing, and answers no request. */

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()))

self.addEventListener('notificationclick', event => {
  event.notification.close()
  event.waitUntil(open(`/holds/${encodeURIComponent(event.notification.tag)}`))
})

/** A window that is open goes there by itself, and keeps what was typed in it. */
async function open(path) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const shown = windows.find(({ visibilityState }) => visibilityState === 'visible') ?? windows[0]
  if (!shown) return self.clients.openWindow(path)
  shown.postMessage({ open: path })
  // Some browsers refuse the focus; the window has the card all the same.
  await shown.focus().catch(() => {})
}
