using NumaSharp.Playground.ServiceDefaults;
using NumaSharp.Playground.Web.Addresses;
using NumaSharp.Playground.Web.Endpoints;
using NumaSharp.Playground.Web.Starting;

// The content root is the folder of the binary, so that appsettings.json is found whatever the current directory is.
var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions
{
    Args = args,
    ContentRootPath = AppContext.BaseDirectory,
});
builder.AddNuma();
var addresses = builder.AddWebAddresses();
builder.AddSocketScheduling();
builder.AddServiceDefaults();
builder.AddPlaygroundEndpoints();
return await builder.RunToExitCodeAsync(addresses);
