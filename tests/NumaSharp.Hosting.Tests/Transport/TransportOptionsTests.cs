using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Hosting.Transport;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Tests.Transport;

/// <summary>From keys to the options of an end point's sockets.</summary>
public sealed class TransportOptionsTests
{
    private static readonly IPEndPoint s_public = IPEndPoint.Parse("10.0.0.1:443");

    private static readonly (string Key, string Value, object Read)[] s_values =
    [
        ("Backlog", "7", 7),
        ("NoDelay", "false", false),
        ("DeferAccept", "5s", TimeSpan.FromSeconds(5)),
        ("FastOpen", "16", 16),
        ("UserTimeout", "1500ms", TimeSpan.FromMilliseconds(1500)),
        ("KeepAlive", "true", true),
        ("KeepAliveTime", "60s", TimeSpan.FromSeconds(60)),
        ("KeepAliveInterval", "10s", TimeSpan.FromSeconds(10)),
        ("KeepAliveRetryCount", "3", 3),
        ("BusyPoll", "50us", TimeSpan.FromMicroseconds(50)),
        ("ReceiveBufferSize", "64KiB", 65536),
        ("SendBufferSize", "1MiB", 1 << 20),
    ];

    public static TheoryData<string> Keys => [.. s_values.Select(static value => value.Key)];

    [Fact]
    public void Keys_OfTheTest_AreAllSocketOptions() => Assert.Equal(
        typeof(EpollSocketOptions).GetProperties().Select(static property => property.Name).Order(StringComparer.Ordinal),
        s_values.Select(static value => value.Key).Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Keys))]
    public void ToEpoll_SetForAll_IsSetForAllAndEveryEndPoint(string key)
    {
        var (_, text, value) = s_values.Single(row => row.Key == key);
        var options = OptionsOf(("Transport:" + key, text), ("Transport:Endpoints:0:Address", "10.0.0.1:443")).ToEpoll();

        Assert.Equal((value, value), (Read(options, key), Read(options.EndPointOptions!(s_public)!, key)));
    }

    [Fact]
    public void ToEpoll_SteeringAndDispatch_AreThoseOfTheSettings()
    {
        var options = OptionsOf(("Transport:Steering", "LeastLoaded"), ("Transport:Dispatch", "Node")).ToEpoll();

        Assert.Equal((EpollSteering.LeastLoaded, EpollDispatchMode.Node), (options.Steering, options.Dispatch));
    }

    [Fact]
    public void ToEpoll_BusyPollOfLoops_IsThatOfTheSettings()
    {
        var options = OptionsOf(
            ("Transport:EpollBusyPoll", "50us"),
            ("Transport:EpollBusyPollBudget", "16"),
            ("Transport:EpollPreferBusyPoll", "true")).ToEpoll();

        Assert.Equal(
            (TimeSpan.FromMicroseconds(50), 16, true),
            (options.EpollBusyPoll, options.EpollBusyPollBudget, options.EpollPreferBusyPoll));
        Assert.Equal(TimeSpan.Zero, options.BusyPoll);
    }

    [Theory]
    [MemberData(nameof(Keys))]
    public void ToEpoll_SetForAnEndPoint_IsSetForThatAlone(string key)
    {
        var (_, text, value) = s_values.Single(row => row.Key == key);
        var options = OptionsOf(
            ("Transport:Endpoints:0:Address", "10.0.0.1:443"), ($"Transport:Endpoints:0:{key}", text)).ToEpoll();

        Assert.Equal(value, Read(options.EndPointOptions!(s_public)!, key));
        Assert.Equal(Read(new EpollTransportOptions(), key), Read(options, key));
        Assert.Null(options.EndPointOptions!(IPEndPoint.Parse("10.0.0.1:80")));
    }

    [Fact]
    public void ToEpoll_TwoItemsNameAnEndPoint_TheFirstCounts()
    {
        var options = OptionsOf(
            ("Transport:Endpoints:0:Address", "10.0.0.1:443"), ("Transport:Endpoints:0:Backlog", "7"),
            ("Transport:Endpoints:1:Address", "*:443"), ("Transport:Endpoints:1:Backlog", "8")).ToEpoll();

        Assert.Equal(7, options.EndPointOptions!(s_public)!.Backlog);
        Assert.Equal(8, options.EndPointOptions!(IPEndPoint.Parse("[::]:443"))!.Backlog);
    }

    [Fact]
    public void Value_Mistakes_AreToldWithKeyValueAndWhatIsAllowed()
    {
        var exception = Assert.ThrowsAny<OptionsValidationException>(() => OptionsOf(
            ("Transport:DeferAccept", "5"),
            ("Transport:SendBufferSize", "1KiB"),
            ("Transport:Endpoints:0:Address", "example.com:80"),
            ("Transport:Endpoints:0:Backlog", "0"),
            ("Transport:Endpoints:1:KeepAliveRetryCount", "3")));

        const string Address = "must be an address with a port such as '127.0.0.1:80', '[::1]:80', 'localhost:80' or '*:80' (any "
            + "address), the path of a Unix socket, '@' and an abstract name, or 'fd:' and a file descriptor";
        string[] expected =
        [
            "Numa:Transport:DeferAccept = '5': must be 0 (at once) or a duration such as '1ms', '5s' or '00:00:05', from 1s to "
                + "1h",
            "Numa:Transport:Endpoints:0:Address = 'example.com:80': " + Address,
            "Numa:Transport:Endpoints:0:Backlog = '0': must be an integer from 1 to 65535",
            "Numa:Transport:Endpoints:1:Address = '': " + Address,
            "Numa:Transport:SendBufferSize = '1KiB': must be 0 (the kernel adapts it) or a size such as '64KiB', '1MiB' or a "
                + "number of bytes, from 4KiB to 512MiB",
        ];
        Assert.Equal(expected, exception.Failures.Order(StringComparer.Ordinal));
    }

    private static NumaTransportOptions OptionsOf(params (string Key, string? Value)[] settings)
    {
        using var host = NumaHost.Create(settings);
        return host.Services.GetRequiredService<IOptions<NumaOptions>>().Value.Transport;
    }

    private static object? Read(EpollSocketOptions options, string key) =>
        typeof(EpollSocketOptions).GetProperty(key)!.GetValue(options);
}
