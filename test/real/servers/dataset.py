"""Arguments of every Python script in this folder, and the records that it fills its server with: the same at every start."""

import sys

port = int(sys.argv[1])
folder = sys.argv[2]
records = int(sys.argv[3])


def record_at(index):
    return {
        "name": f'Ünïté №{index} 日本 "quoted" \\ {"😀" * (index % 3)}',
        "number": index,
        "price": index * 7919 / 100,
        "active": index % 2 == 0,
    }


def serve(application):
    """Serves a WSGI application for ever."""
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

    class Handler(WSGIRequestHandler):
        def log_message(self, *_):
            pass

    make_server("127.0.0.1", port, application, Server, Handler).serve_forever()
