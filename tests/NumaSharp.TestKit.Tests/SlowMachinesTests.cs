using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace NumaSharp.TestKit.Tests;

public sealed class SlowMachinesTests
{
    [Fact]
    public async Task AllowSlowClients_Application_HasNoLimitBelowThatOfAWait()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.AllowSlowClients();
        await using var app = builder.Build();
        var limits = app.Services.GetRequiredService<IOptions<KestrelServerOptions>>().Value.Limits;
        var host = app.Services.GetRequiredService<IOptions<HostOptions>>().Value;
        Assert.All(
            (TimeSpan[])[limits.KeepAliveTimeout, limits.RequestHeadersTimeout, host.ShutdownTimeout],
            static limit => Assert.InRange(limit, Wait.Limit, TimeSpan.MaxValue));
        Assert.Null(limits.MinRequestBodyDataRate);
        Assert.Null(limits.MinResponseDataRate);
    }

    [Fact]
    public void Create_Client_WaitsAsLongAsAnyWait()
    {
        using var client = TestHttpClient.Create(new Uri("http://127.0.0.1/"));
        Assert.Equal(Wait.Limit, client.Timeout);
    }
}
