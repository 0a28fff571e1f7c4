"""A proxy on a port of its own that cuts connections as a test says."""

from __future__ import annotations

import socket
import threading
from typing import Callable, Optional
from urllib.parse import urlsplit

# Told the first bytes of a request; answers after how many bytes of the answer to cut, or None.
Cut = Callable[[bytes], Optional[int]]


class CuttingProxy:
    def __init__(self, url: str, cut: Cut) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._cut = cut
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> CuttingProxy:
        return self

    def __exit__(self, *_: object) -> None:
        # A listener that another thread waits on closes only when it is shut down.
        _shut(self._listener)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server:
            try:
                first = client.recv(65_536)
                left = self._cut(first)
                server.sendall(first)
                threading.Thread(target=_pump, args=(client, server), daemon=True).start()
                self._answer(client, server, left)
            except OSError:
                pass
            finally:
                # Another thread waits on the socket, and keeps it open until it is shut down.
                for end in (client, server):
                    _shut(end)

    def _answer(self, client: socket.socket, server: socket.socket, left: Optional[int]) -> None:
        while data := server.recv(65_536):
            if left is not None and len(data) > left:
                self.cuts += 1
                client.sendall(data[:left])
                return
            left = None if left is None else left - len(data)
            client.sendall(data)


def _shut(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65_536):
            target.sendall(data)
    except OSError:
        pass
