using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Playground.LoadGenerator;
using NumaSharp.Playground.ServiceDefaults;

var builder = Host.CreateApplicationBuilder(args);
builder.AddServiceDefaults(LoadMetrics.MeterName);
builder.Services.AddOptions<LoadOptions>()
    .BindConfiguration(LoadOptions.Section)
    .Validate(static options => options.FindMistake() is null, LoadOptions.Allowed)
    .ValidateOnStart();
builder.Services.AddHttpClient();
// They log several lines for each request.
builder.Logging.AddFilter("System.Net.Http.HttpClient", LogLevel.Warning);
builder.Services.AddSingleton<LoadMetrics>();
builder.Services.AddHostedService<HttpLoad>();
builder.Services.AddHostedService<UdpLoad>();
await builder.Build().RunAsync();
