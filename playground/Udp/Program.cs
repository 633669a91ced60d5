using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Playground.ServiceDefaults;
using NumaSharp.Playground.Udp;
using NumaSharp.Playground.Udp.Dns;

// The content root is beside the binary, so that appsettings.json is found whatever the current directory is.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings
{
    Args = args,
    ContentRootPath = Path.Combine(AppContext.BaseDirectory, "Udp"),
});
builder.Services.AddSingleton(DnsZone.Read(builder.Configuration.GetSection("Zone")));
builder.AddNumaUdp<DnsHandler>("dns");
builder.AddNumaUdp<EchoHandler>("echo");
builder.AddServiceDefaults();
await builder.Build().RunAsync();
