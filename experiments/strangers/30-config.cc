// Readers of a configuration. Each request takes a snapshot, a shared_ptr to it, so that the
// configuration could be replaced at any time; the request then looks up what it needs.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Config {
    std::map<std::string, int> values;
    int timeout = 30;
    int retries = 3;
};

class Service {
public:
    explicit Service(std::shared_ptr<const Config> config) : config_(std::move(config)) {}

    std::shared_ptr<const Config> snapshot() const { return config_; }

    int handle(int request) const
    {
        auto config = snapshot();
        return request % 7 < config->retries ? request % config->timeout : 0;
    }

private:
    std::shared_ptr<const Config> config_;
};

class Client {
public:
    Client(const Service &service, int requests) : service_(service), requests_(requests) {}

    void operator()()
    {
        int sum = 0;
        for (int i = 0; i < requests_; i++)
            sum += service_.handle(i);
        sum_ = sum;
    }

    int sum() const { return sum_; }

private:
    const Service &service_;
    int requests_;
    int sum_ = 0;
};

int main()
{
    auto config = std::make_shared<Config>();
    config->values = {{"port", 80}, {"backlog", 128}, {"threads", 8}};

    const Service service(config);
    std::vector<Client> clients(8, Client(service, 4000));
    std::vector<std::thread> threads;
    for (auto &client : clients)
        threads.emplace_back(std::ref(client));
    for (auto &thread : threads)
        thread.join();

    long sum = 0;
    for (const auto &client : clients)
        sum += client.sum();
    std::printf("%ld after %d retries\n", sum, config->retries);
}
