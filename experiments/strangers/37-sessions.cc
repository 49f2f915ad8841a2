// Sessions, held by shared_ptr. Each thread handles the requests of one session; every request gets
// a shared_ptr of its own, so that a session lives as long as somebody uses it.
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

class Session {
public:
    explicit Session(unsigned id) : id_(id) {}
    unsigned id() const { return id_; }

private:
    unsigned id_;
};

class Request {
public:
    Request(std::shared_ptr<const Session> session, unsigned number)
        : session_(std::move(session)), number_(number)
    {
    }
    __attribute__((noinline)) unsigned handle() const
    {
        return number_ % 10 == 0 ? session_->id() : number_ % 7;
    }

private:
    std::shared_ptr<const Session> session_;
    unsigned number_;
};

class Server {
public:
    explicit Server(unsigned most) { sessions_.reserve(most); }

    void open() { sessions_.push_back(std::make_shared<const Session>(sessions_.size())); }

    const std::shared_ptr<const Session> &session(unsigned id) const { return sessions_.at(id); }

private:
    std::vector<std::shared_ptr<const Session>> sessions_;
};

static void serve(const Server &server, unsigned id, unsigned requests, unsigned *result)
{
    const auto &session = server.session(id);
    unsigned sum = 0;
    for (unsigned i = 0; i < requests; i++)
        sum += Request(session, i).handle();
    *result = sum;
}

int main()
{
    constexpr unsigned kSessions = 8, kRequests = 4000;
    Server server(kSessions);
    std::vector<unsigned> results(kSessions);
    std::vector<std::thread> threads;

    for (unsigned id = 0; id < kSessions; id++)
        server.open();
    for (unsigned id = 0; id < kSessions; id++)
        threads.emplace_back(serve, std::cref(server), id, kRequests, &results[id]);
    for (auto &thread : threads)
        thread.join();
    unsigned sum = 0;
    for (unsigned r : results)
        sum += r;
    std::printf("%u\n", sum);
}
