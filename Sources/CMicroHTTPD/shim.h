// libmicrohttpd's functions with variable arguments, which Swift cannot call, behind functions with fixed ones.
#pragma once

#include <microhttpd.h>
#include <stddef.h>

typedef struct {
    // A socket that listens already. The daemon closes it.
    int listener;
    unsigned int connection_limit;
    // For the request line and headers of one request, and for parts of its body.
    size_t connection_memory;
    // Without any traffic, in seconds.
    unsigned int idle_timeout;
    void *context;
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback complete;
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_NotifyConnectionCallback notify;
} thaw_http_options;

// Starts a thread that serves all connections; NULL if that fails.
static inline struct MHD_Daemon *thaw_http_start(const thaw_http_options *options) {
#ifdef __linux__
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
#else
    unsigned int flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
#endif
    return MHD_start_daemon(
        flags, 0, NULL, NULL, options->handle, options->context,
        MHD_OPTION_LISTEN_SOCKET, options->listener,
        MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_COMPLETED, options->complete, options->context,
        MHD_OPTION_URI_LOG_CALLBACK, options->begin, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->notify, options->context,
        MHD_OPTION_END);
}

// Swift imports the library's enumerations in different ways, depending on its version.
static const enum MHD_Result thaw_http_yes = MHD_YES;
static const enum MHD_Result thaw_http_no = MHD_NO;

static inline int thaw_http_is_opened(enum MHD_ConnectionNotificationCode event) {
    return event == MHD_CONNECTION_NOTIFY_STARTED;
}

static inline int thaw_http_is_complete(enum MHD_RequestTerminationCode reason) {
    return reason == MHD_REQUEST_TERMINATED_COMPLETED_OK;
}

// The socket of a connection; -1 if there is none.
static inline int thaw_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

// What `notify` stored for a connection.
static inline void *thaw_http_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// Calls `each` for every header of a request.
static inline void thaw_http_headers(struct MHD_Connection *connection, MHD_KeyValueIteratorN each, void *context) {
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, each, context);
}

// A response of `count` bytes, which are copied.
static inline struct MHD_Response *thaw_http_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

static inline int thaw_http_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    return MHD_queue_response(connection, status, response) == MHD_YES;
}
